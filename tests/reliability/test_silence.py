"""H11: nothing is silent for long: headers within two seconds, a comment every five.

During a skim and before a chat's first byte, in tests/gateway/test_skim.py.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from asking import CHAT, FORMS, MESSAGES, RESPONSES, Form, encoded, events_of, lines
from gateway_process import Gateway
from raw_http import Connection, wait_until
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, Scripted, chunk, delta, event, reply
from staging import Staged

QUIET_S = 8.5  # headers after 2 s, one comment 5 s later


def listen(port: int, form: Form, body: dict) -> tuple[float, list[tuple[float, bytes]]]:
    """The seconds until the headers, and each piece that came after with its own."""
    start = time.monotonic()
    with Connection(port) as connection:
        connection.post(form.path, encoded(body))
        head = connection.read_head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        headers_s = time.monotonic() - start
        pieces = []
        while data := connection.read_chunk():
            pieces.append((time.monotonic() - start, data))
        return headers_s, pieces



def test_every_form_of_stream_is_kept_alive(staged: Staged) -> None:
    """All at once, as each takes as long as the silence."""
    gateway, server = staged
    server.answer = lambda _: [QUIET_S, reply(b'{"error":{"code":404,"message":"gone"}}', "404 Not Found")]

    def one(form: Form, mode: str) -> None:
        headers_s, pieces = listen(gateway.port, form, form.body("x", 4, stream=True, skim={"mode": mode}))
        assert headers_s < QUIET_S
        assert pieces[0][1] == b":\n\n"
        [last] = events_of(b"".join(data for _, data in pieces))
        assert last.error or last.data["type"] == "error"
        assert (last.name == "error") == (form in (MESSAGES, RESPONSES))

    with ThreadPoolExecutor(2 * len(FORMS)) as pool:
        for done in [pool.submit(one, form, mode) for form in FORMS for mode in ("off", "always")]:
            done.result()


def test_no_comment_falls_into_an_event(staged: Staged) -> None:
    gateway, server = staged
    whole = event(delta("a long story"))
    server.answer = lambda _: [
        EVENT_STREAM,
        chunk(whole[:20]),
        QUIET_S,
        chunk(whole[20:] + event(delta("", "stop")) + DONE),
        LAST_CHUNK,
    ]
    for_both = []
    with ThreadPoolExecutor(2) as pool:
        for mode in ("off", "always"):
            body = CHAT.body("x", 4, stream=True, skim={"mode": mode})
            for_both.append(pool.submit(listen, gateway.port, CHAT, body))
    for pieces in (future.result()[1] for future in for_both):
        stream = b"".join(data for _, data in pieces)
        assert stream.replace(b":\n\n", b"").startswith(whole)
        assert events_of(stream)[0].data == delta("a long story")
        assert b":\n\n" in stream


@pytest.fixture
def single(toy: Path, tmp_path: Path) -> Iterator[Staged]:
    """A target that takes one request at a time."""
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--prefill-drafter", str(toy), "--max-parallel", "1"]
        yield stack.enter_context(Gateway(*arguments, folder=tmp_path)), server


def test_a_queued_stream_is_kept_alive_and_told_of(single: Staged) -> None:
    gateway, server = single
    release = threading.Event()

    def answer(request: Received) -> Script:
        if b"first" in request.body:
            yield EVENT_STREAM
            while not release.is_set():
                yield chunk(event(delta("a")))
                yield 0.2
        else:
            yield EVENT_STREAM
        yield chunk(event(delta("", "stop")) + DONE)
        yield LAST_CHUNK

    server.answer = answer
    with Connection(gateway.port) as first, Connection(gateway.port) as second:
        first.post(CHAT.path, encoded(CHAT.body("first", 4, stream=True)))
        wait_until(lambda: len(server.bodies(CHAT.path)) == 1)
        wish = {"mode": "always", "keep_ratio": 0.3, "progress": True}
        second.post(CHAT.path, encoded(CHAT.body(lines(60) + "Which shelf?", 4, stream=True, skim=wish)))
        head = second.read_head()  # while the other runs, or this would wait for ever
        assert head.headers["content-type"] == "text/event-stream"
        received = b""
        while b":\n\n" not in received:
            received += second.read_chunk()
        assert len(server.bodies(CHAT.path)) == 1
        release.set()
        while data := second.read_chunk():
            received += data
    events = events_of(received)
    assert events[-1].data == "[DONE]"
    stages = [e.data["skim_progress"]["stage"] for e in events if "skim_progress" in json.dumps(e.data)]
    assert "queued" in stages and "skimmed" in stages


def test_no_progress_where_none_was_asked_for(staged: Staged) -> None:
    gateway, server = staged
    server.answer = lambda _: [3.0, EVENT_STREAM, chunk(event(delta("a", "stop")) + DONE), LAST_CHUNK]
    _, pieces = listen(gateway.port, CHAT, CHAT.body(lines(60) + "Which?", 4, stream=True, skim={"mode": "always"}))
    stream = b"".join(data for _, data in pieces)
    assert b"progress" not in stream
