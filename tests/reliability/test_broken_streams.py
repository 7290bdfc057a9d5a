"""H10: a target that fails, before its answer and in the middle of it.

For chats, and for bodies in one piece, in tests/gateway/test_pass_through.py and test_skim.py; a child that is killed
in test_child.py.
"""

from __future__ import annotations

import json

import pytest

from asking import CHAT, CHATS, FORMS, MESSAGES, NATIVE, RESPONSES, TEXT, Form, ask, encoded, events_of
from raw_http import Connection, wait_until
from scripted import EVENT_STREAM, LAST_CHUNK, chunk, event, reply
from staging import Staged, healthy

ERROR = {"error": {"code": 429, "message": "too many tokens this minute", "type": "rate_limit_error"}}


def named(name: str, **data: object) -> bytes:
    return f"event: {name}\n".encode() + event({"type": name, **data})


def begun(form: Form) -> bytes:
    """The first two events of an answer."""
    if form is MESSAGES:
        message = {"id": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 0}}
        block = {"type": "text", "text": ""}
        return named("message_start", message=message) + named("content_block_start", index=0, content_block=block)
    if form is RESPONSES:
        response = {"id": "r", "status": "in_progress"}
        return named("response.created", response=response) + named("response.in_progress", response=response)
    if form is NATIVE:
        return b"".join(event({"index": 0, "content": text, "stop": False}) for text in "ab")
    key = {"text": "a"} if form is TEXT else {"delta": {"content": "a"}}
    return event({"choices": [{"index": 0, "finish_reason": None} | key]}) * 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_refusal_comes_with_its_status_and_words(staged: Staged, form: Form, stream: bool) -> None:
    gateway, server = staged
    server.answer = lambda _: [reply(json.dumps(ERROR).encode(), "429 Too Many Requests", extra="Retry-After: 7\r\n")]
    answer = ask(gateway.port, form, form.body("x", 4, stream=stream))
    assert (answer.status, answer.error["message"]) == (429, ERROR["error"]["message"])
    assert answer.headers["retry-after"] == "7"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", CHATS, ids=lambda form: form.name)
def test_a_web_page_is_no_answer(staged: Staged, form: Form, stream: bool) -> None:
    gateway, server = staged
    server.answer = lambda _: [reply(b"<h1>busy</h1>", "503 Service Unavailable", "text/html")]
    with Connection(gateway.port) as connection:
        connection.post(form.path, encoded(form.body("x", 4, stream=stream)))
        assert connection.read_reply().status == 503


ENDINGS = {"dropped": [None], "ended": [LAST_CHUNK]}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_stream_that_breaks_off_ends_with_one_error(staged: Staged, form: Form, ending: str) -> None:
    gateway, server = staged
    server.answer = lambda _: [EVENT_STREAM, chunk(begun(form)), 0.1, *ENDINGS[ending]]
    with Connection(gateway.port) as connection:
        connection.post(form.path, encoded(form.body("x", 4, stream=True)))
        answer = connection.read_reply()
        assert connection.is_closed_by_peer()
    assert answer.status == 200
    events = events_of(answer.body)
    assert len(events) == 3
    last = events[-1]
    assert last.error or last.data.get("type") == "error"
    assert (last.name == "error") == (form in (MESSAGES, RESPONSES))
    assert b"[DONE]" not in answer.body and b'"stop"' not in answer.body.replace(b'"stop":false', b"").replace(
        b'"stop": false', b""
    )


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_an_empty_stream_is_no_success(staged: Staged, form: Form) -> None:
    gateway, server = staged
    server.answer = lambda _: [EVENT_STREAM, LAST_CHUNK]
    with Connection(gateway.port) as connection:
        connection.post(form.path, encoded(form.body("x", 4, stream=True)))
        answer = connection.read_reply()
        assert connection.is_closed_by_peer()
    if answer.status == 200:
        [only] = events_of(answer.body)
        assert only.error or only.data.get("type") == "error"
    else:
        assert answer.status == 502
        assert json.loads(answer.body)["error"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", CHATS, ids=lambda form: form.name)
def test_an_empty_body_is_no_success(staged: Staged, form: Form, stream: bool) -> None:
    gateway, server = staged
    server.answer = lambda _: [reply(b"")]
    answer = ask(gateway.port, form, form.body("x", 4, stream=stream))
    assert answer.status == 502


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_unstreamed_a_childs_broken_stream_is_a_plain_error(staged_child: Staged, form: Form) -> None:
    gateway, server = staged_child
    for ending in (LAST_CHUNK, None):
        server.answer = healthy(lambda _: [EVENT_STREAM, chunk(begun(form)), 0.1, ending])
        answer = ask(gateway.port, form, form.body("x", 4))
        assert answer.status == 502, answer.body
        assert answer.error


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_unstreamed_a_childs_error_event_is_an_error_with_its_status(staged_child: Staged, form: Form) -> None:
    gateway, server = staged_child
    error = {"error": {"code": 503, "message": "the slot was lost", "type": "server_error"}}
    server.answer = healthy(lambda _: [EVENT_STREAM, chunk(begun(form) + event(error)), LAST_CHUNK])
    answer = ask(gateway.port, form, form.body("x", 4))
    assert answer.status == 503, answer.body
    assert answer.error["message"] == error["error"]["message"]


def test_a_stream_that_goes_quiet_stays_until_the_client_leaves(staged: Staged) -> None:
    gateway, server = staged
    server.answer = lambda _: [EVENT_STREAM, chunk(begun(CHAT)), 600.0]
    with Connection(gateway.port) as connection:
        connection.post(CHAT.path, encoded(CHAT.body("x", 4, stream=True)))
        connection.read_head()
        received = b""
        while not received.endswith(b":\n\n"):
            received += connection.read_chunk()
    assert received.startswith(begun(CHAT))
    wait_until(server.closed_early.is_set, 30)


@pytest.mark.parametrize("stream", [False, True])
def test_a_target_that_is_not_there(staged: Staged, stream: bool) -> None:
    gateway, server = staged
    server.answer = lambda _: [None]
    for form in CHATS:
        answer = ask(gateway.port, form, form.body("x", 4, stream=stream))
        assert answer.status == 502
        assert answer.error["message"]
