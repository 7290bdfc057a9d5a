"""H2: bodies of the wrong shape, depth or dress.

Text that is no JSON, and what curl and others do around a body, is in tests/gateway/test_pass_through.py; CORS in
tests/gateway/test_edges.py.
"""

from __future__ import annotations

import json

import pytest

from asking import CHAT, CHATS, FORMS, MESSAGES, NATIVE, RESPONSES, TEXT, Answer, Form, ask, encoded
from gateway_process import Gateway
from raw_http import Connection, get, post
from scripted import reply
from staging import Staged

DEEP = b"[" * 400_000 + b"]" * 400_000
COUNTS = ("/v1/chat/completions/input_tokens", "/v1/messages/count_tokens", "/v1/responses/input_tokens")
PATHS = (*(form.path for form in FORMS), *COUNTS)


def refused(answer: Answer, *words: str) -> None:
    assert answer.status == 400, answer.body
    assert answer.headers["content-type"].startswith("application/json")
    error = answer.error
    assert error["type"] == "invalid_request_error"
    for word in words:
        assert word in error["message"], error


@pytest.mark.parametrize("path", PATHS)
def test_values_that_are_no_request(staged: Staged, path: str) -> None:
    gateway, server = staged
    for body in (b"", b"{}", b"[]", b"5", b'"x"', b"null", b"true", b"{"):
        answer = post(gateway.port, path, body)
        assert answer.status == 400, (body, answer.body)
        value = json.loads(answer.body)
        assert value["error"]["type"] == "invalid_request_error"
        assert value.get("type") == ("error" if "messages" in path else None)
    assert server.received == []


WRONG_MESSAGES = [
    ("hi", "messages"),
    ({}, "messages"),
    ([1], "messages[0]"),
    ([{}], "messages[0].role"),
    ([{"role": 1, "content": "x"}], "messages[0].role"),
    ([{"role": "user", "content": 5}], "messages[0].content"),
    ([{"role": "user", "content": {}}], "messages[0].content"),
    ([{"role": "user", "content": "x"}, {"role": "user", "content": [7]}], "messages[1].content[0]"),
    ([{"role": "user", "content": [{"text": "x"}]}], "messages[0].content[0].type"),
    ([{"role": "user", "content": [{"type": "text", "text": 5}]}], "messages[0].content[0].text"),
]


@pytest.mark.parametrize("form", [CHAT, MESSAGES], ids=lambda form: form.name)
def test_message_lists_of_the_wrong_shape(staged: Staged, form: Form) -> None:
    gateway, server = staged
    for messages, place in WRONG_MESSAGES:
        refused(ask(gateway.port, form, {"messages": messages, "max_tokens": 4}), place)
    if form is CHAT:  # of messages, llama-server takes an empty list, and its own tests send one
        refused(ask(gateway.port, form, {"messages": [], "max_tokens": 4}), "messages")
    assert server.received == []


def test_other_inputs_of_the_wrong_shape(staged: Staged) -> None:
    gateway, server = staged
    for form, name, wrong in [
        (TEXT, "prompt", 5),
        (TEXT, "prompt", {}),
        (NATIVE, "prompt", True),
        (RESPONSES, "input", 5),
        (RESPONSES, "input", [1]),
        (RESPONSES, "instructions", []),
        (MESSAGES, "system", 5),
    ]:
        refused(ask(gateway.port, form, form.body("x", 4, **{name: wrong})), name)
    assert server.received == []


FIELDS: list[tuple[str, object, tuple[Form, ...]]] = [
    ("stream", "yes", FORMS),
    ("stream", 1, FORMS),
    ("temperature", "warm", FORMS),
    ("tools", {}, CHATS),
    ("tools", [1], CHATS),
    ("tools", "clock", CHATS),
    ("stop", 5, (CHAT, TEXT, NATIVE)),
    ("stop", [5], (CHAT, TEXT, NATIVE)),
    ("stop_sequences", 5, (MESSAGES,)),
    ("stream_options", "x", (CHAT, TEXT)),
    ("skim", "always", FORMS),
    ("skim", {"progress": 1}, FORMS),
]


@pytest.mark.parametrize(("name", "wrong", "forms"), FIELDS)
def test_fields_of_the_wrong_kind(staged: Staged, name: str, wrong: object, forms: tuple[Form, ...]) -> None:
    gateway, server = staged
    for form in forms:
        refused(ask(gateway.port, form, form.body("x", 4) | {name: wrong}), name)
    assert server.received == []


def deep_bodies(form: Form) -> list[bytes]:
    start = encoded(form.body("x", 4))[:-1]
    function = b'{"type":"function","name":"f","function":{"name":"f","parameters":{"a":' + DEEP + b"}}}"
    return [
        start + b',"metadata":' + DEEP + b"}",
        start + b',"tools":' + DEEP + b"}",
        start + b',"tools":[' + function + b"]}",
        start + b',"skim":' + DEEP + b"}",
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_deep_body_disturbs_nobody(toy_child: Gateway, form: Form) -> None:
    [child] = toy_child.children()
    with Connection(toy_child.port) as running:
        running.post(CHAT.path, encoded(CHAT.body("Go on.", 400, stream=True, ignore_eos=True)))
        running.read_head()
        for body in deep_bodies(form):
            refused(ask(toy_child.port, form, body), "deep")
        last = b""
        while piece := running.read_chunk():
            last = piece
    assert b"[DONE]" in last
    assert get(toy_child.port, "/health").status == 200
    assert toy_child.children() == [child]


def test_depth_inside_a_string_is_text(toy_child: Gateway) -> None:
    """The arguments of an earlier call are the client's text, which this child's template may read or not."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "[" * 3000 + "]" * 3000}}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "y"},
    ]
    assert ask(toy_child.port, CHAT, {"messages": messages, "max_tokens": 1}).status in (200, 400)
    assert ask(toy_child.port, CHAT, CHAT.body("x", 1)).status == 200


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_explicit_nulls_mean_the_default(toy_child: Gateway, form: Form) -> None:
    names = ["stream", "temperature", "top_p", "top_k", "tools", "tool_choice", "skim", "stop", "seed", "metadata"]
    plain, nulls = (ask(toy_child.port, form, form.body("x", 4, **dict.fromkeys(some))) for some in ([], names))
    assert (plain.status, nulls.status) == (200, 200), nulls.body
    assert nulls.value is not None and nulls.finish == plain.finish
    if form is NATIVE:  # llama-server's own form tells what it took
        assert nulls.value["generation_settings"] == plain.value["generation_settings"]


@pytest.mark.parametrize("form", [CHAT, NATIVE, MESSAGES, RESPONSES], ids=lambda form: form.name)
def test_of_two_equal_keys_the_last_one_holds(toy_child: Gateway, form: Form) -> None:
    start = encoded(form.body("x", 2))[:-1]
    assert ask(toy_child.port, form, start + b',"stream":true,"stream":false}').value is not None
    streamed = ask(toy_child.port, form, start + b',"stream":false,"stream":true}')
    assert streamed.events and streamed.text


def test_a_byte_order_mark_makes_no_difference(toy_child: Gateway) -> None:
    for form in FORMS:
        body = encoded(form.body("x", 4, temperature=0))
        marked = ask(toy_child.port, form, b"\xef\xbb\xbf" + body)
        assert (marked.status, marked.text) == (200, ask(toy_child.port, form, body).text)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_typed_body_of_20_kb(toy_child: Gateway, form: Form) -> None:
    body = encoded(form.body("word " * 3000, 1)) + b" " * 5000
    answer = post(toy_child.port, form.path, body, "Content-Type: application/x-www-form-urlencoded\r\n")
    assert answer.status == 200, answer.body


def test_more_messages_than_anyone_means(staged: Staged) -> None:
    gateway, server = staged
    for form in (CHAT, MESSAGES):
        messages = [{"role": "user", "content": "x"}] * 10_001
        refused(ask(gateway.port, form, {"messages": messages, "max_tokens": 4}), "messages", "10000")
    assert server.received == []


def test_a_body_may_be_as_large_as_is_said(staged: Staged) -> None:
    gateway, server = staged
    server.answer = lambda _: [reply(b'{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}')]
    spaces = b" " * (60 << 20)
    assert post(gateway.port, CHAT.path, encoded(CHAT.body("x", 4)) + spaces).status == 200
    answer = post(gateway.port, CHAT.path, encoded(CHAT.body("x", 4)) + spaces + b" " * (5 << 20))
    assert answer.status == 413
    assert json.loads(answer.body)["error"]["code"] == 413
