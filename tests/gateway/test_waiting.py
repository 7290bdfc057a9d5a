"""Who goes to the target when. What happens to those who leave, and to far too many at once, in tests/reliability."""

from __future__ import annotations

import json
import re
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from asking import CHAT, FORMS, MESSAGES, RESPONSES, TEXT, Form, ask, encoded
from built import LIMIT_S
from gateway_process import Front, Gateway
from raw_http import Connection, get, post, wait_until
from scripted import Received, Script, reply
from spoken import ALL


class Counter:
    """A target that takes requests and answers each when it is told to; it knows how many were there at once."""

    def __init__(self) -> None:
        self.may_go = threading.Semaphore(0)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def __call__(self, request: Received) -> Script:
        if request.method == "GET" or request.path == "/tokenize":
            yield reply(b"{}")
            return
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        assert self.may_go.acquire(timeout=LIMIT_S)
        with self.lock:
            self.now -= 1
        spoken = next((s for s in ALL if s.form.path == request.path), None)
        yield from spoken.answer(request) if spoken else [reply(b'{"data":[]}')]


def inside(gateway: Gateway) -> int:
    return int(re.search(r"^skimfill_requests_inside (\d+)$", get(gateway.port, "/metrics").body.decode(), re.M)[1])


def asked(path: str, name: str, form: Form | None = None, stream: bool = False) -> tuple[str, bytes]:
    return path, encoded(form.body(name, 4, stream=stream) if form else {"input": name})


def test_all_wait_in_one_queue_and_go_in_order(front: Front) -> None:
    target = Counter()
    gateway, server = front(target, "--max-parallel", "2")
    requests = [
        asked(CHAT.path, "0", CHAT, stream=True),
        asked(RESPONSES.path, "1", RESPONSES),
        asked("/v1/embeddings", "2"),
        asked(MESSAGES.path, "3", MESSAGES, stream=True),
        asked(TEXT.path, "4", TEXT),
        asked(CHAT.path, "5", CHAT),
        asked("/v1/rerank", "6"),
    ]
    with ExitStack() as stack:
        waiting = []
        for i, (path, body) in enumerate(requests):
            connection = stack.enter_context(Connection(gateway.port))
            connection.post(path, body)
            waiting.append(connection)
            wait_until(lambda: inside(gateway) == i + 1)
        for i in range(len(requests)):
            wait_until(lambda: len([r for r in server.received if r.method == "POST"]) == min(i + 2, len(requests)))
            target.may_go.release()
        for connection in waiting:
            answer = connection.read_reply()
            assert (answer.status, answer.complete) == (200, True)
    sent = [(r.path, r.body) for r in server.received if r.method == "POST"]
    assert sorted(sent[:2]) == sorted(requests[:2])  # these went at once, each on its own connection
    assert sent[2:] == requests[2:]
    assert target.most == 2
    wait_until(lambda: inside(gateway) == 0)


def test_a_full_house_is_an_error_in_the_forms_shape(front: Front) -> None:
    target = Counter()
    gateway, server = front(target, "--max-parallel", "1", "--max-queue", "0")
    with Connection(gateway.port) as busy:
        busy.post(*asked(CHAT.path, "busy", CHAT))
        wait_until(lambda: len(server.bodies(CHAT.path)) == 1)
        for form in FORMS:
            answer = ask(gateway.port, form, form.body("x", 4, stream=True))
            assert answer.status == 503
            assert int(answer.headers["retry-after"]) > 0
            if form is MESSAGES:
                assert answer.value["type"] == "error"
                assert answer.error["type"] == "overloaded_error"
            else:
                assert (answer.error["code"], answer.error["type"]) == (503, "unavailable_error")
        assert post(gateway.port, *asked("/v1/embeddings", "x")).status == 503
        assert post(gateway.port, "/tokenize", b'{"content":"x"}').status == 200  # takes no place
        target.may_go.release()
        assert busy.read_reply().status == 200
        busy.post(*asked(CHAT.path, "again", CHAT))
        target.may_go.release()
        assert busy.read_reply().status == 200


@pytest.mark.parametrize("stream", [False, True])
def test_a_count_that_never_comes_holds_nobody_up(front: Front, toy: Path, stream: bool) -> None:
    """More than are asked at a time, and each connection is ready for the next request once it has its answer."""

    def answer(request: Received) -> Script:
        if request.path == CHAT.path:
            return ALL[0].answer(request) if b"short" in request.body else [600.0]
        return [600.0]

    gateway, server = front(answer, "--prefill-drafter", toy)
    with ExitStack() as stack:
        for i in range(3):
            busy = stack.enter_context(Connection(gateway.port))
            busy.post(*asked(CHAT.path, f"long {i}", CHAT, stream=True))
        wait_until(lambda: len(server.bodies(CHAT.path)) == 3)
        connection = stack.enter_context(Connection(gateway.port))
        connection.socket.settimeout(20)
        for _ in range(2):
            connection.post(*asked(CHAT.path, "short", CHAT, stream=stream))
            assert connection.read_reply().status == 200
        wait_until(lambda: inside(gateway) == 3)
