"""H12: clients that leave, clients that wait, and those who only ask how it is going.

A client that leaves during a skim, and with nothing queued, in tests/gateway.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from asking import CHAT, FORMS, NATIVE, RESPONSES, Form, ask, encoded, events_of
from gateway_process import Gateway
from raw_http import Connection, Reply, get, wait_until
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, Scripted, chunk, delta, event, reply
from staging import Staged

HANG_S = 5  # far above what any of it takes, far below what a hang would
QUEUE = 20


def in_flight(port: int) -> int:
    """Requests that are queued, skimmed or at the target."""
    text = get(port, "/metrics").body.decode()
    return int(re.search(r"^skimfill_requests_inside (\d+)$", text, re.M)[1])


@pytest.fixture(scope="module")
def queueing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--max-parallel", "2", "--max-queue", str(QUEUE)]
        yield stack.enter_context(Gateway(*arguments, folder=tmp_path_factory.mktemp("queueing"))), server


@pytest.fixture
def queue(queueing: Staged) -> Iterator[Staged]:
    gateway, server = queueing
    server.received.clear()
    server.closed_early.clear()
    yield gateway, server
    wait_until(lambda: in_flight(gateway.port) == 0, 30)


class Held:
    """A target that answers when it is told to."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def __call__(self, request: Received) -> Script:
        if request.method == "GET":
            yield reply(b'{"status":"ok"}')
            return
        while not self.release.is_set():
            yield 0.1  # raises when the gateway has closed
        if b'"stream": true' in request.body:
            yield EVENT_STREAM + chunk(event(delta("a")) + event(delta("", "stop")) + DONE) + LAST_CHUNK
        else:
            yield reply(json.dumps({"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}]}).encode())


def send(port: int, text: str, stream: bool = True) -> Connection:
    connection = Connection(port)
    connection.post(CHAT.path, encoded(CHAT.body(text, 4, stream=stream)))
    return connection


@contextmanager
def full_house(gateway: Gateway, server: Scripted) -> Iterator[None]:
    """All places and the whole queue are taken; at the end those who wait get their answers."""
    server.answer = held = Held()
    busy = [send(gateway.port, f"busy {i}") for i in range(2 + QUEUE)]
    wait_until(lambda: in_flight(gateway.port) == 2 + QUEUE)
    yield
    held.release.set()
    for connection in busy:
        assert connection.read_reply().complete
        connection.close()


def texts_at(server: Scripted) -> list[str]:
    return [json.loads(r.body)["messages"][0]["content"] for r in server.received if r.path == CHAT.path]


@pytest.mark.parametrize("stream", [False, True])
def test_a_queued_client_that_leaves_disturbs_nobody(queue: Staged, stream: bool) -> None:
    gateway, server = queue
    server.answer = held = Held()
    running = [send(gateway.port, f"running {i}", stream) for i in range(2)]
    wait_until(lambda: len(texts_at(server)) == 2)
    leaving, waiting = send(gateway.port, "leaving", stream), send(gateway.port, "waiting", stream)
    wait_until(lambda: in_flight(gateway.port) == 4)
    leaving.close()
    wait_until(lambda: in_flight(gateway.port) == 3, HANG_S)
    held.release.set()
    for connection in (*running, waiting):
        answer = connection.read_reply()
        assert (answer.status, answer.complete) == (200, True)
        connection.close()
    assert sorted(texts_at(server)) == ["running 0", "running 1", "waiting"]
    assert not server.closed_early.is_set()


@pytest.mark.parametrize("stream", [False, True])
def test_a_place_is_free_when_its_client_has_left(queue: Staged, stream: bool) -> None:
    gateway, server = queue
    server.answer = held = Held()
    running = [send(gateway.port, f"running {i}", stream) for i in range(2)]
    wait_until(lambda: len(texts_at(server)) == 2)
    waiting = send(gateway.port, "waiting", stream)
    running[0].close()
    wait_until(lambda: "waiting" in texts_at(server), HANG_S)
    assert server.closed_early.wait(HANG_S)
    held.release.set()
    for connection in (running[1], waiting):
        assert connection.read_reply().status == 200
        connection.close()


def test_who_asks_how_it_goes_is_answered_while_all_is_busy(queue: Staged) -> None:
    gateway, server = queue
    with full_house(gateway, server):
        for _ in range(5):
            for path in ("/health", "/metrics", "/v1/models", "/props"):
                start = time.monotonic()
                assert get(gateway.port, path).status == 200, path
                assert time.monotonic() - start < HANG_S


def test_a_full_queue_says_when_to_come_back(queue: Staged) -> None:
    gateway, server = queue
    with full_house(gateway, server):
        for form in FORMS:
            for stream in (False, True):
                answer = ask(gateway.port, form, form.body("x", 4, stream=stream))
                assert answer.status == 503
                assert int(answer.headers["retry-after"]) > 0
                assert answer.error["message"]
        assert len(texts_at(server)) == 2


def test_500_at_once(queue: Staged) -> None:
    """Each gets an answer or is told to come back; none is lost."""
    gateway, server = queue
    server.answer = held = Held()
    held.release.set()

    def one(i: int) -> Reply:
        with send(gateway.port, f"{i}", stream=i % 2 == 0) as connection:
            return connection.read_reply()

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(one, range(500)))
    assert all(answer.complete for answer in answers)
    assert {answer.status for answer in answers} <= {200, 503}
    served = sum(answer.status == 200 for answer in answers)
    assert served == len(texts_at(server))
    assert served > 0
    assert all("retry-after" in answer.headers for answer in answers if answer.status == 503)


def resident_kib(pid: int) -> int:
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def test_memory_does_not_grow_with_clients_that_leave(queue: Staged) -> None:
    gateway, server = queue
    server.answer = Held()

    def leave(i: int) -> None:
        with send(gateway.port, f"{i} " + "x" * 20_000, stream=i % 2 == 0):
            pass

    def leave_many(n: int) -> int:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(leave, range(n)))
        wait_until(lambda: in_flight(gateway.port) == 0, 60)
        return resident_kib(gateway.process.pid)

    warm = leave_many(300)
    assert leave_many(1000) < warm + 8 * 1024


def slots_busy(gateway: Gateway) -> int:
    return sum(slot["is_processing"] for slot in json.loads(get(gateway.port, "/slots").body))


LONG = {"ignore_eos": True, "temperature": 0}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", [CHAT, NATIVE, RESPONSES], ids=lambda form: form.name)
def test_a_real_slot_is_free_when_its_client_has_left(small_child: Gateway, form: Form, stream: bool) -> None:
    """Beside a busy stream, where llama-server alone does not notice."""
    with Connection(small_child.port) as other:
        other.post(CHAT.path, encoded(CHAT.body("Go on.", 50, stream=True, **LONG)))
        other.read_head()
        with Connection(small_child.port) as leaving:
            leaving.post(form.path, encoded(form.body("Tell a story.", 1500, stream=stream, **LONG)))
            wait_until(lambda: slots_busy(small_child) == 2)
        wait_until(lambda: slots_busy(small_child) < 2, 30)
        rest = b""
        while data := other.read_chunk():
            rest += data
    assert events_of(rest)[-1].data == "[DONE]"
    wait_until(lambda: slots_busy(small_child) == 0, HANG_S)
