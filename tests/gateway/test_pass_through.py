"""Every route passes through as it came."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading

import pytest

from built import LIMIT_S
from gateway_process import Front
from raw_http import Connection, get, post, request, wait_until
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, chunk, delta, event, reply

CHAT = "/v1/chat/completions"
MESSAGES = b'{"messages":[{"role":"user","content":"hi"}]}'
STREAMED = MESSAGES[:-1] + b',"stream":true}'
ODD_BODY = b'{ "b":1E2, "a":[0.70,-0], "b":2,"s":"\\u00e9\\ud83d\\ude00","z":12345678901234567890123 }'


def test_bodies_and_headers_arrive_as_they_were_sent(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b'{"x": 1E2}', "201 Created", extra="X-Two: a\r\nX-Two: b\r\n")])
    headers = "Content-Type: application/json\r\nX-Custom: \xe9\r\nAuthorization: Bearer k\r\nConnection: x-drop\r\nX-Drop: 1\r\n"
    with Connection(gateway.port) as connection:
        connection.send(
            f"POST /v1/embeddings?x=%20y HTTP/1.1\r\nHost: h\r\n{headers}Content-Length: {len(ODD_BODY)}\r\n\r\n".encode("latin-1")
            + ODD_BODY
        )
        answer = connection.read_reply()
    assert (answer.status, answer.body) == (201, b'{"x": 1E2}')
    [sent] = target.received
    assert (sent.method, sent.path, sent.body) == ("POST", "/v1/embeddings?x=%20y", ODD_BODY)
    assert sent.header("X-Custom") == "\xe9"
    assert sent.header("Authorization") == "Bearer k"
    assert sent.header("X-Drop") is None
    assert sent.header("Host") == target.url.removeprefix("http://")


def test_all_methods_pass(front: Front) -> None:
    def answer(request):
        whole = reply(b"body", content_type="text/plain")
        return [whole.removesuffix(b"body") if request.method == "HEAD" else whole]

    gateway, target = front(answer)
    methods = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "POST"]
    for method in methods:
        line = f"{method} /any HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        answered = request(gateway.port, line, has_body=method != "HEAD")
        assert (answered.status, answered.headers["content-length"]) == (200, "4")
    assert [r.method for r in target.received] == methods


def test_a_chat_is_untouched_while_skimming_is_off(front: Front) -> None:
    body = b'{"messages" : [ {"role":"user","content":"hi"} ], "temperature":0.70}'
    gateway, target = front(lambda _: [reply(b'{"choices":[]  }')])
    assert post(gateway.port, "/v1/chat/completions", body).body == b'{"choices":[]  }'
    assert target.received[0].body == body


def test_our_own_field_is_cut_out(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    body = b'{"messages" : [{"role":"user","content":"hi"}], "skim":{"mode":"off"}, "x":1E2}'
    assert post(gateway.port, "/v1/chat/completions", body).status == 200
    assert target.received[0].body == b'{"messages" : [{"role":"user","content":"hi"}], "x":1E2}'


def test_stream_pieces_arrive_while_the_target_is_silent(front: Front) -> None:
    pieces = [event(delta(str(i))) for i in range(3)]
    gateway, target = front(
        lambda _: [EVENT_STREAM, chunk(pieces[0]), 600.0, chunk(pieces[1]), chunk(pieces[2] + DONE), LAST_CHUNK]
    )
    with Connection(gateway.port) as connection:
        connection.post(CHAT, STREAMED)
        assert connection.read_head().headers["content-type"] == "text/event-stream"
        assert connection.read_chunk() == pieces[0]  # or the test hangs: the target sends nothing more for long


@pytest.mark.parametrize("size", [1, 2, 7])
def test_streams_pass_whole_however_they_are_cut(front: Front, size: int) -> None:
    stream = b"".join(event(delta(text)) for text in ["Gr", "üß", "e 漢😀"]) + DONE
    gateway, _ = front(
        lambda _: [EVENT_STREAM, *(chunk(stream[i : i + size]) for i in range(0, len(stream), size)), LAST_CHUNK]
    )
    answer = post(gateway.port, CHAT, STREAMED)
    assert answer.body == stream
    assert answer.complete


def test_a_body_of_unknown_length_passes(front: Front) -> None:
    gateway, _ = front(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", b"one ", b"two"])
    answer = get(gateway.port, "/stream")
    assert answer.body == b"one two"
    assert answer.complete


def test_a_connection_serves_many_requests(front: Front) -> None:
    gateway, target = front(lambda r: [reply(r.body or b"empty")])
    with Connection(gateway.port) as connection:
        for body in (b'{"n":1}', b'{"n":2}', b'{"n":3}'):
            connection.post("/v1/embeddings", body)
            assert connection.read_reply().body == body
        # Two at once: the second waits its turn.
        connection.post("/a", b"{}")
        connection.post("/b", b"[]")
        assert [connection.read_reply().body for _ in range(2)] == [b"{}", b"[]"]
    assert [r.path for r in target.received][-2:] == ["/a", "/b"]


def test_http_1_0_is_answered_and_closed(front: Front) -> None:
    gateway, _ = front(lambda _: [EVENT_STREAM, chunk(b"data: 1\n\n"), chunk(DONE), LAST_CHUNK])
    with Connection(gateway.port) as connection:
        connection.send(b"GET /stream HTTP/1.0\r\n\r\n")
        answer = connection.read_reply()
    assert "transfer-encoding" not in answer.headers
    assert answer.body == b"data: 1\n\n" + DONE


def test_expect_continue_and_chunked_request_bodies(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    with Connection(gateway.port) as connection:
        connection.send(b"POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert connection.read_head().status == 100
        connection.send(b"{}")
        assert connection.read_reply().status == 200
        connection.send(b"POST /y HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.send(b"3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n")
        assert connection.read_reply().status == 200
    assert [r.body for r in target.received] == [b"{}", b"[1,2]"]
    assert target.received[1].header("Transfer-Encoding") is None


def test_curl_sends_a_large_body(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b'{"ok":true}')])
    body = json.dumps({"input": "x" * 2_000_000}).encode()
    url = f"http://127.0.0.1:{gateway.port}/v1/embeddings"
    run = subprocess.run(["curl", "-sS", "--data-binary", "@-", url], input=body, capture_output=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, b'{"ok":true}'), run.stderr
    assert target.received[0].body == body


def test_too_deep_bodies_never_reach_the_target(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    deep = b"[" * 400_000 + b"]" * 400_000
    for path in ("/v1/chat/completions", "/apply-template", "/v1/messages", "/v1/responses", "/tokenize"):
        for body in (b'{"tools":' + deep + b"}", b"\xef\xbb\xbf" + deep, b" \n" + deep):
            answer = post(gateway.port, path, body)
            assert answer.status == 400
            assert "deeper" in json.loads(answer.body)["error"]["message"]
    assert target.received == []


def test_too_large_bodies_are_refused_and_the_client_sees_it(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    with Connection(gateway.port) as connection:
        connection.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 105906176\r\n\r\n")
        connection.send(b" " * 4_000_000)  # a client that does not wait for an answer
        answer = connection.read_reply()
        assert answer.status == 413
        assert json.loads(answer.body)["error"]["code"] == 413
    assert target.received == []


def test_malformed_bodies_are_refused(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    for path in ["/v1/chat/completions", "/chat/completions", "/v1/completions", "/completion"]:
        for body in [b"", b"{", b'{"a":}', b"\xff", b'{"a":1} x', b"not json"]:
            answer = post(gateway.port, path, body)
            assert answer.status == 400, (path, body)
            assert json.loads(answer.body)["error"]["type"] == "invalid_request_error"
    assert target.received == []


def test_what_is_not_http_gets_an_error(front: Front) -> None:
    gateway, _ = front(lambda _: [reply(b"{}")])
    for garbage in (b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
        assert request(gateway.port, garbage).status == 400
    assert request(gateway.port, b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n").status == 431
    assert get(gateway.port, "/after").status == 200


def test_a_skim_without_a_drafter_is_refused(front: Front) -> None:
    gateway, target = front(lambda _: [reply(b"{}")])
    body = b'{"messages":[{"role":"user","content":"hi"}],"skim":{"mode":"always"}}'
    answer = post(gateway.port, "/v1/chat/completions", body)
    assert answer.status == 400
    assert "drafter" in json.loads(answer.body)["error"]["message"]
    assert target.received == []


def test_an_unreachable_target_is_503(front: Front) -> None:
    gateway, target = front(lambda _: [])
    target.__exit__()
    wait_until(lambda: get(gateway.port, "/health").status == 503)
    assert json.loads(get(gateway.port, "/health").body)["error"]["type"] == "unavailable_error"


@pytest.mark.parametrize("broken", [[None], [b"HTTP/1.1 200"], [b"garbage\r\n\r\n"]])
def test_a_target_that_ends_before_it_answers_is_502(front: Front, broken: list) -> None:
    gateway, _ = front(lambda _: broken)
    answer = post(gateway.port, CHAT, MESSAGES)
    assert answer.status == 502
    assert json.loads(answer.body)["error"]["code"] == 502


def test_a_stream_that_breaks_ends_with_one_error_event(front: Front) -> None:
    first = event(delta("a"))
    gateway, _ = front(lambda _: [EVENT_STREAM, chunk(first), 0.2, None])
    with Connection(gateway.port) as connection:
        connection.post(CHAT, STREAMED)
        answer = connection.read_reply()
        assert connection.is_closed_by_peer()
    assert answer.body.startswith(first)
    rest = answer.body.removeprefix(first)
    assert rest.count(b"data: ") == 1
    assert json.loads(rest.removeprefix(b"data: "))["error"]["code"] == 502
    assert b"[DONE]" not in answer.body


def test_a_body_that_breaks_is_seen_as_broken(front: Front) -> None:
    gateway, _ = front(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", 0.2, None])
    answer = get(gateway.port, "/file")
    assert answer.body == b"0123456789"
    assert not answer.complete


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_ends_the_request_at_the_target(front: Front, stream: bool) -> None:
    start = [EVENT_STREAM, chunk(event(delta("a")))] if stream else []
    gateway, target = front(lambda _: [*start, 600.0])
    with Connection(gateway.port) as connection:
        connection.post(CHAT, STREAMED if stream else MESSAGES)
        if stream:
            connection.read_head()
        wait_until(lambda: len(target.received) == 1)
    assert target.closed_early.wait(30)


def test_a_closed_client_does_not_disturb_another(front: Front) -> None:
    gateway, target = front(lambda r: [2.0 if b"slow" in r.body else 600.0, reply(b'{"done":1}')])
    with Connection(gateway.port) as slow, Connection(gateway.port) as leaving:
        slow.post("/x", b'["slow"]')
        leaving.post("/x", b'["leaving"]')
        wait_until(lambda: len(target.received) == 2)
        leaving.close()
        assert slow.read_reply().body == b'{"done":1}'


def test_a_stop_waits_for_what_is_in_flight_and_takes_nothing_new(front: Front) -> None:
    stopped = threading.Event()

    def answer(request: Received) -> Script:
        stopped.wait(LIMIT_S)
        yield reply(b'{"done":1}')

    gateway, target = front(answer)
    with Connection(gateway.port) as waiting, Connection(gateway.port) as late:
        waiting.post(CHAT, MESSAGES)
        wait_until(lambda: len(target.received) == 1)
        gateway.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "stopping" in gateway.log)
        late.post(CHAT, MESSAGES)
        refused = late.read_reply()
        assert (refused.status, refused.headers["connection"]) == (503, "close")
        assert "retry-after" in refused.headers
        stopped.set()
        assert waiting.read_reply().body == b'{"done":1}'
    assert gateway.wait() == 0
    assert len(target.received) == 1
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", gateway.port), timeout=5)


@pytest.mark.parametrize(("drain", "signals"), [("1", 1), ("600", 2)])
def test_a_stop_does_not_wait_for_ever(front: Front, drain: str, signals: int) -> None:
    gateway, target = front(lambda _: [600.0], "--drain-seconds", drain)
    with Connection(gateway.port) as waiting, Connection(gateway.port):
        waiting.post("/x", b"{}")
        wait_until(lambda: len(target.received) == 1)
        for _ in range(signals):
            gateway.process.send_signal(signal.SIGTERM)
            wait_until(lambda: gateway.log.count("stopping") == 1)
        assert gateway.wait() == 0  # or the test hangs
        assert waiting.is_closed_by_peer()
