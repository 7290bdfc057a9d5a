"""The edges: who may ask, from which pages, over which sockets, and how much at a time."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from built import LIMIT_S, PROGRAM
from gateway_process import Front, Gateway
from raw_http import Connection, Reply, get, post, request, wait_until
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, chunk, delta, event, reply

CHAT = "/v1/chat/completions"
KEY = "sk-of-the-tests"
JSON = "Content-Type: application/json\r\n"
PAGE = "http://page.example"


def ok(_: Received) -> Script:
    return [reply(b'{"ok":1}', extra="Access-Control-Allow-Origin: http://target\r\nX-Target: 1\r\n")]


def with_head(port: int, line: str, headers: str = "") -> Reply:
    return request(port, f"{line} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())


# Keys


@pytest.mark.parametrize(
    "headers",
    [f"Authorization: Bearer {KEY}", f"authorization: {KEY}", f"X-Api-Key: {KEY}", f"x-api-key: Bearer {KEY}"],
)
def test_a_key_opens_and_stays_here(front: Front, headers: str) -> None:
    gateway, target = front(ok, "--api-key", f"other,{KEY}", "-v")
    assert post(gateway.port, "/v1/embeddings", b"{}", f"{JSON}{headers}\r\n").status == 200
    [sent] = target.received
    assert sent.header("Authorization") is None
    assert sent.header("X-Api-Key") is None
    assert gateway.stop() == 0
    assert KEY not in gateway.log


@pytest.mark.parametrize("headers", ["", "Authorization: Bearer wrong-key\r\n", "X-Api-Key: \r\n"])
def test_without_a_key_nobody_is_served(front: Front, headers: str) -> None:
    gateway, target = front(ok, "--api-key", KEY, "-v")
    for path in (CHAT, "/v1/models", "/metrics", "/v1/files/a.js"):
        answer = post(gateway.port, path, b'{"messages":[]}', JSON + headers)
        assert answer.status == 401
        assert json.loads(answer.body) == {
            "error": {"message": "Invalid API Key", "type": "authentication_error", "code": 401}
        }
    assert target.received == []
    gateway.stop()
    assert "wrong-key" not in gateway.log


def test_a_wrong_key_costs_no_body(front: Front) -> None:
    gateway, target = front(ok, "--api-key", KEY)
    for length in ("60000000", "900000000"):
        with Connection(gateway.port) as connection:
            head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
            connection.send(head.encode())  # and not a byte more
            answer = connection.read_reply()
            assert (answer.status, answer.headers["connection"]) == (401, "close")
            assert connection.is_closed_by_peer()
    assert target.received == []


def test_a_connection_goes_on_after_a_refusal(front: Front) -> None:
    gateway, _ = front(ok, "--api-key", KEY)
    with Connection(gateway.port) as connection:
        connection.send(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.read_reply().status == 401
        connection.send(f"GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Api-Key: {KEY}\r\n\r\n".encode())
        assert connection.read_reply().status == 200


def test_health_page_and_preflight_need_no_key(front: Front) -> None:
    gateway, _ = front(ok, "--api-key", KEY)
    for path in ("/", "/index.html", "/_app/version.json", "/sw.js"):
        assert get(gateway.port, path).status == 200, path
    assert get(gateway.port, "/health").status != 401
    answer = with_head(gateway.port, f"OPTIONS {CHAT}", f"Origin: {PAGE}\r\n")
    assert (answer.status, answer.body) == (200, b"")


def test_keys_from_a_file(front: Front, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_bytes(b"# ours\nfirst\n\nsecond\r\n")
    gateway, _ = front(ok, "--api-key-file", keys)
    for key, status in (("first", 200), ("second", 200), ("# ours", 401), ("", 401)):
        assert post(gateway.port, "/v1/x", b"{}", f"{JSON}X-Api-Key: {key}\r\n").status == status


def test_a_file_without_a_key_is_no_open_door(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("# none yet\n")
    assert "there is no key in it" in failed_start("--api-key-file", keys)
    assert "no such file" in failed_start("--api-key-file", tmp_path / "missing")


# Web pages


def test_every_reply_carries_the_headers_of_cors(front: Front) -> None:
    def answer(received: Received) -> Script:
        if received.path == "/stream":
            return [EVENT_STREAM[:-2] + b"access-control-allow-origin: *\r\n\r\n", chunk(DONE), LAST_CHUNK]
        return [reply(b"{}", "404 Not Found")] if received.path == "/none" else ok(received)

    gateway, _ = front(answer, "--api-key", KEY)
    key = f"X-Api-Key: {KEY}\r\n"
    replies = [
        with_head(gateway.port, "GET /plain", f"Origin: {PAGE}\r\n{key}"),
        with_head(gateway.port, "GET /stream", f"Origin: {PAGE}\r\n{key}"),
        with_head(gateway.port, "GET /none", f"Origin: {PAGE}\r\n{key}"),
        with_head(gateway.port, "GET /plain", f"Origin: {PAGE}\r\n"),
        post(gateway.port, CHAT, b"{", f"{JSON}Origin: {PAGE}\r\n{key}"),
        with_head(gateway.port, f"POST {CHAT}", f"Origin: {PAGE}\r\n{key}Content-Length: 99999999999\r\n"),
    ]
    assert [r.status for r in replies] == [200, 200, 404, 401, 400, 413]
    assert [r.headers["access-control-allow-origin"] for r in replies] == [PAGE] * 6


def test_a_preflight_is_answered_here(front: Front) -> None:
    gateway, target = front(ok, "--api-key", KEY)
    wish = "Access-Control-Request-Headers: authorization,content-type,x-api-key\r\n"
    answer = with_head(gateway.port, f"OPTIONS {CHAT}", f"Origin: {PAGE}\r\n{wish}")
    assert answer.status == 200
    cors = {k: v for k, v in answer.headers.items() if k.startswith("access-control-")}
    assert cors == {
        "access-control-allow-origin": PAGE,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": "*",
    }
    assert target.received == []


def test_only_pages_of_this_machine_where_that_is_wanted(front: Front) -> None:
    gateway, _ = front(ok, "--cors-origins", "localhost")
    local = with_head(gateway.port, "GET /x", "Origin: http://localhost:3000\r\n")
    assert local.headers["access-control-allow-origin"] == "http://localhost:3000"
    foreign = with_head(gateway.port, "GET /x", "Origin: http://localhost.evil.com\r\n")
    assert "access-control-allow-origin" not in foreign.headers
    assert foreign.headers["x-target"] == "1"


def test_a_prefix_is_before_every_route(front: Front) -> None:
    gateway, target = front(ok, "--api-prefix", "/llm/", "--api-key", KEY)
    key = f"X-Api-Key: {KEY}\r\n"
    assert with_head(gateway.port, "GET /llm/v1/models?x=1", key).status == 200
    assert [r.path for r in target.received] == ["/v1/models?x=1"]
    assert with_head(gateway.port, "GET /llm/v1/models").status == 401
    assert with_head(gateway.port, "GET /v1/models", key).status == 404
    assert with_head(gateway.port, "GET /llm", key).status == 404
    assert len(target.received) == 1


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    name = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*make, *name, "-keyout", key, "-out", cert], check=True, capture_output=True, timeout=LIMIT_S)
    return key, cert


def tls_flags(certificate: tuple[Path, Path]) -> list[str | Path]:
    return ["--ssl-key-file", certificate[0], "--ssl-cert-file", certificate[1]]


def tls(port: int, cert: Path) -> Connection:
    plain = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
    context = ssl.create_default_context(cafile=cert)
    # A close without a goodbye is an error, not an end.
    return Connection(port, context.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False))


def test_requests_over_tls(front: Front, certificate: tuple[Path, Path]) -> None:
    gateway, target = front(lambda r: [reply(r.body)], *tls_flags(certificate))
    assert f"listening on https://127.0.0.1:{gateway.port}" in gateway.log
    large = json.dumps({"x": "y" * 3_000_000}).encode()
    with tls(gateway.port, certificate[1]) as connection:
        assert connection.socket.version() in ("TLSv1.2", "TLSv1.3")
        for body in (b'{"n":1}', large):
            connection.post("/v1/embeddings", body)
            assert connection.read_reply().body == body
        connection.post("/v1/embeddings", large, f"{JSON}Connection: close\r\n")
        assert connection.read_reply().body == large
        assert connection.is_closed_by_peer()
    assert len(target.received) == 3


def test_a_stream_over_tls_flows_and_ends_with_its_client(front: Front, certificate: tuple[Path, Path]) -> None:
    first = event(delta("a"))
    gateway, target = front(lambda _: [EVENT_STREAM, chunk(first), 600.0], *tls_flags(certificate))
    with tls(gateway.port, certificate[1]) as connection:
        connection.post(CHAT, b'{"messages":[{"role":"user","content":"x"}],"stream":true}')
        connection.read_head()
        assert connection.read_chunk() == first
    assert target.closed_early.wait(LIMIT_S)


def test_curl_trusts_and_stops_over_tls(front: Front, certificate: tuple[Path, Path]) -> None:
    gateway, _ = front(ok, *tls_flags(certificate), "--api-key", KEY)
    url = f"https://127.0.0.1:{gateway.port}/v1/models"
    curl = ["curl", "-sS", "--cacert", certificate[1], "-H", f"Authorization: Bearer {KEY}", url]
    run = subprocess.run(curl, capture_output=True, timeout=LIMIT_S)
    assert (run.returncode, run.stdout) == (0, b'{"ok":1}'), run.stderr
    assert gateway.stop() == 0


def test_who_speaks_no_tls_disturbs_nobody(front: Front, certificate: tuple[Path, Path]) -> None:
    gateway, _ = front(ok, *tls_flags(certificate))
    with Connection(gateway.port) as plain, Connection(gateway.port):  # the second says nothing at all
        plain.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        with suppress(ConnectionError):
            plain.stream.read()  # whatever OpenSSL says, then the end
        with tls(gateway.port, certificate[1]) as connection:
            connection.send(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.read_reply().status == 200


def test_a_certificate_that_cannot_be_used_is_named(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    key, cert = certificate
    other = tmp_path / "other.pem"
    subprocess.run(["openssl", "genrsa", "-out", other, "2048"], check=True, capture_output=True, timeout=LIMIT_S)
    assert "both or none" in failed_start("--ssl-cert-file", cert)
    assert str(other) in failed_start("--ssl-key-file", other, "--ssl-cert-file", cert)
    assert "missing.pem" in failed_start("--ssl-key-file", key, "--ssl-cert-file", tmp_path / "missing.pem")


def failed_start(*arguments: str | Path) -> str:
    command = [PROGRAM, "serve", "--port", "0", "--upstream", "http://127.0.0.1:9", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    assert run.returncode == 2, run.stderr
    return run.stderr.splitlines()[-1]


# Sockets


def test_a_unix_socket_beside_tcp(front: Front, tmp_path: Path) -> None:
    path = tmp_path / "our.sock"
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(path))
    stale.close()  # its file stays, as after a crash
    gateway, _ = front(ok, "--host", f"127.0.0.1,{path}")
    wait_until(lambda: f"listening on unix:{path}" in gateway.log)
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(LIMIT_S)
    client.connect(str(path))
    with Connection(0, client) as connection:
        connection.send(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.read_reply().status == 200
    assert get(gateway.port, "/x").status == 200
    assert gateway.stop() == 0
    assert not path.exists()


def test_two_hosts(front: Front) -> None:
    gateway, _ = front(ok, "--host", "127.0.0.1, 127.0.0.2")
    for host in ("127.0.0.1", "127.0.0.2"):
        with Connection(0, socket.create_connection((host, gateway.port), timeout=LIMIT_S)) as connection:
            connection.send(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.read_reply().status == 200


# How much at a time


Door = tuple[Front, Callable[[Gateway], Connection]]


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def door(request: pytest.FixtureRequest, front: Front, certificate: tuple[Path, Path]) -> Iterator[Door]:
    """Starts a gateway, plain or with TLS; with the way to connect to it."""
    if not request.param:
        yield front, lambda gateway: Connection(gateway.port)
        return
    yield (
        lambda answer, *arguments: front(answer, *tls_flags(certificate), *arguments),
        lambda gateway: tls(gateway.port, certificate[1]),
    )


def test_one_connection_too_many_is_told_so(door: Door) -> None:
    start, connect = door
    gateway, _ = start(ok, "--max-connections", "2")
    with connect(gateway) as first, connect(gateway) as second:
        for connection in (first, second):
            connection.send(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.read_reply().status == 200
        with connect(gateway) as third:
            third.send(f"GET /health HTTP/1.1\r\nHost: x\r\nOrigin: {PAGE}\r\n\r\n".encode())
            answer = third.read_reply()
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert json.loads(answer.body)["error"]["type"] == "unavailable_error"
            assert third.is_closed_by_peer()
        second.close()

        def has_room() -> bool:
            with connect(gateway) as later:
                later.send(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
                return later.read_reply().status == 200

        wait_until(has_room)


def test_a_client_that_reads_nothing_loses_its_place(door: Door) -> None:
    start, connect = door
    gateway, target = start(lambda _: [EVENT_STREAM, *[chunk(b"x" * 65536)] * 2000], "--timeout", "1")
    with connect(gateway) as connection:
        connection.send(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        assert target.closed_early.wait(LIMIT_S)


def test_a_client_that_sends_half_a_body_loses_its_place(door: Door) -> None:
    start, connect = door
    gateway, target = start(ok, "--timeout", "1")
    with connect(gateway) as connection:
        connection.send(f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345".encode())
        assert connection.is_closed_by_peer()
    assert target.received == []


def test_the_largest_body_is_a_setting(front: Front) -> None:
    gateway, _ = front(ok, "--max-body-mib", "1")
    assert post(gateway.port, "/x", b" " * (1 << 20)).status == 200
    assert post(gateway.port, "/x", b" " * ((1 << 20) + 1)).status == 413


# Leaving


def test_a_half_closed_client_gets_what_is_there_at_once(front: Front) -> None:
    gateway, _ = front(ok, "--api-key", KEY)
    for line, status in ((f"OPTIONS {CHAT}", 200), ("GET /v1/models", 401)):
        with Connection(gateway.port) as connection:
            connection.socket.sendall(f"{line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            connection.socket.shutdown(socket.SHUT_WR)
            assert connection.read_reply().status == status
            assert connection.is_closed_by_peer()


def test_a_half_closed_client_counts_as_gone_where_it_would_wait(front: Front) -> None:
    gateway, target = front(lambda _: [600.0])
    with Connection(gateway.port) as connection:
        connection.post("/x", b"{}")
        connection.socket.shutdown(socket.SHUT_WR)
        assert target.closed_early.wait(LIMIT_S)
        assert connection.is_closed_by_peer()


def test_sending_ahead_is_not_leaving(door: Door) -> None:
    start, connect = door
    gateway, target = start(lambda r: [0.7, reply(r.path.encode())] if r.path == "/slow" else [reply(r.path.encode())])
    with connect(gateway) as connection:
        both = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n"
        connection.send(both)
        assert [connection.read_reply().body for _ in range(2)] == [b"/slow", b"/next"]
    assert not target.closed_early.is_set()


def test_leaving_is_seen_behind_what_was_sent_ahead(door: Door) -> None:
    start, connect = door
    gateway, target = start(lambda _: [600.0])
    with connect(gateway) as connection:
        connection.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until(lambda: len(target.received) == 1)
        connection.send(b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n" + b" " * 100_000)
    assert target.closed_early.wait(LIMIT_S)
    assert [r.path for r in target.received] == ["/slow"]
