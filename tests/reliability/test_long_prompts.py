"""H9: a prompt that does not fit is never cut in silence.

With skimming in front of the small model, and the numbers in the error, in tests/gateway/test_child.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from asking import CHAT, CHATS, FORMS, MESSAGES, NATIVE, RESPONSES, TEXT, Form, ask, encoded, fill
from gateway_process import Gateway
from raw_http import post

LIMIT = 2048
PROMPT = f"The access word is HERON-731. {fill(400)} What is the access word? Reply with the word only."
OFF = {"mode": "off"}


@pytest.fixture(scope="module")
def narrow(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    arguments = ["-m", toy, "-c", LIMIT, "-np", "1", "--prefill-drafter", toy]
    with Gateway(*map(str, arguments), folder=tmp_path_factory.mktemp("narrow")) as gateway:
        gateway.wait_ready()
        yield gateway


def sent_tokens(form: Form, value: dict) -> int:
    if form is NATIVE:
        return value["tokens_evaluated"]
    usage = value["usage"]
    if form is MESSAGES:
        return usage["input_tokens"] + usage.get("cache_read_input_tokens", 0)
    return usage["input_tokens" if form is RESPONSES else "prompt_tokens"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_off_it_is_an_error_with_the_numbers(narrow: Gateway, form: Form, stream: bool) -> None:
    answer = ask(narrow.port, form, form.body(PROMPT, 8, stream=stream, skim=OFF))
    assert answer.status == 400
    assert answer.headers["content-type"].startswith("application/json")
    assert "exceed" in answer.error["type"] + answer.error["message"]
    if form is not MESSAGES:  # whose form of error has no place for them
        assert answer.error["n_prompt_tokens"] > answer.error["n_ctx"] == LIMIT


def whole_count(gateway: Gateway, form: Form) -> int:
    if form in (TEXT, NATIVE):
        body = {"content": PROMPT, "add_special": True}
        return len(json.loads(post(gateway.port, "/tokenize", encoded(body)).body)["tokens"])
    path = form.path + ("/count_tokens" if form is MESSAGES else "/input_tokens")
    return json.loads(post(gateway.port, path, encoded(form.body(PROMPT))).body)["input_tokens"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_on_it_is_answered_and_says_what_was_left_out(narrow: Gateway, form: Form) -> None:
    wish = {"mode": "always", "keep_ratio": 0.1, "spans": True}
    answer = ask(narrow.port, form, form.body(PROMPT, 8, skim=wish))
    assert answer.status == 200, answer.body
    skim = answer.value["skim"]
    assert skim["decision"] == "skimmed" and skim["spans"]
    assert skim["kept_tokens"] < skim["tokens"]
    if form is not NATIVE:  # which counts what it read
        assert sent_tokens(form, answer.value) == whole_count(narrow, form) > LIMIT


@pytest.mark.parametrize("form", CHATS, ids=lambda form: form.name)
def test_what_is_kept_may_be_too_long_as_well(narrow: Gateway, form: Form) -> None:
    for stream in (False, True):
        wish = {"mode": "always", "keep_ratio": 0.9}
        answer = ask(narrow.port, form, form.body(PROMPT, 8, stream=stream, skim=wish))
        assert answer.status == 400
        assert str(LIMIT) in answer.error["message"]


def test_near_the_limit_the_answer_is_cut_and_says_so(narrow: Gateway) -> None:
    [room] = [n for n in range(LIMIT) if n == LIMIT - 1]
    text = "a"
    body = {"content": text}
    while len(tokens := json.loads(post(narrow.port, "/tokenize", encoded(body)).body)["tokens"]) < room:
        text += " a" * (room - len(tokens))
        body = {"content": text}
    assert len(tokens) == room
    for stream in (False, True):
        answer = ask(narrow.port, TEXT, TEXT.body(text, 50, stream=stream, temperature=0, skim=OFF))
        assert answer.status == 200, answer.body
        assert answer.finish == "length"
    answer = ask(narrow.port, TEXT, TEXT.body(text + " a a", 50, skim=OFF))
    assert answer.status == 400
