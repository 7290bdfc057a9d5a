"""H4: fields that are known are obeyed or refused, never dropped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asking import CHAT, CLOCK, CLOCK_CALL, MESSAGES, NATIVE, RESPONSES, TEXT, Answer, Json, ask
from gateway_process import Gateway
from staging import Staged


def calls_of(answer: Answer) -> list[Json]:
    return answer.value["choices"][0]["message"].get("tool_calls") or []


def test_no_tool_is_called_where_none_is_wanted(small_child: Gateway) -> None:
    answer = ask(small_child.port, CHAT, CHAT.body(CLOCK_CALL, 8, temperature=0, tools=[CLOCK], tool_choice="none"))
    assert answer.status == 200
    assert calls_of(answer) == []
    assert answer.text


SUNDIAL = {"type": "function", "function": {"name": "sundial", "parameters": CLOCK["function"]["parameters"]}}


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "clock"}}])
def test_a_tool_is_called_where_one_is_wanted(small_child: Gateway, choice: object) -> None:
    tools = [CLOCK] if choice == "required" else [CLOCK, SUNDIAL]
    body = CHAT.body(CLOCK_CALL, 60, temperature=0, tools=tools, tool_choice=choice, parallel_tool_calls=False)
    answer = ask(small_child.port, CHAT, body)
    assert answer.status == 200, answer.body
    [call] = calls_of(answer)
    assert call["function"]["name"] == "clock"
    assert json.loads(call["function"]["arguments"]) == {"zone": "a"}
    assert answer.finish == "tool_calls"


@pytest.mark.parametrize(
    "choice", ["sometimes", 5, {"type": "function", "function": {"name": "abacus"}}, {"type": "function"}]
)
def test_other_choices_are_refused(staged: Staged, choice: object) -> None:
    gateway, server = staged
    answer = ask(gateway.port, CHAT, CHAT.body(CLOCK_CALL, 8, tools=[CLOCK], tool_choice=choice))
    assert answer.status == 400
    assert "tool_choice" in answer.error["message"]
    assert server.received == []


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", 10**10])
def test_numbers_of_answers_that_cannot_be(staged: Staged, n: object) -> None:
    gateway, server = staged
    for form in (CHAT, TEXT):
        answer = ask(gateway.port, form, form.body("x", 4, n=n))
        assert answer.status == 400, n
        assert "n:" in answer.error["message"]
    assert server.received == []


@pytest.mark.parametrize("stream", [False, True])
def test_two_answers(toy_child: Gateway, stream: bool) -> None:
    answer = ask(toy_child.port, CHAT, CHAT.body("x", 4, n=2, stream=stream))
    assert answer.status == 200
    values = [answer.value] if answer.value else [e.data for e in answer.events if e.data != "[DONE]"]
    assert {choice["index"] for value in values for choice in value["choices"]} == {0, 1}


def test_more_answers_than_there_are_slots(toy_child: Gateway) -> None:
    answer = ask(toy_child.port, CHAT, CHAT.body("x", 4, n=1000))
    assert answer.status == 400
    assert "n" in answer.error["message"]
    assert ask(toy_child.port, CHAT, CHAT.body("x", 1)).status == 200


def test_a_wish_for_usage_without_a_stream(toy_child: Gateway) -> None:
    body = CHAT.body("x", 2, stream=False, stream_options={"include_usage": True})
    answer = ask(toy_child.port, CHAT, body)
    assert answer.status == 400 or answer.value["usage"]["completion_tokens"] == 2


def test_json_is_json(small_child: Gateway) -> None:
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    wish = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    for stream in (False, True):
        body = CHAT.body("Give me a number.", 40, temperature=0, response_format=wish, stream=stream)
        answer = ask(small_child.port, CHAT, body)
        assert json.loads(answer.text)["n"] in (1, 2)


def logprobs(port: int, **fields: object) -> list[Json]:
    body = CHAT.body("Name a colour.", 6, temperature=0, logprobs=True, top_logprobs=5, **fields)
    return ask(port, CHAT, body).value["choices"][0]["logprobs"]["content"]


def test_log_probabilities_are_there_and_right(toy_child: Gateway, toy: Path, tmp_path: Path) -> None:
    plain = logprobs(toy_child.port)
    assert len(plain) == 6
    assert all(len(token["top_logprobs"]) == 5 and token["logprob"] < 0 for token in plain)
    arguments = ["-m", toy, "-c", "2048", "-np", "1", "--draft", toy, "--draft-block-size", "3"]
    with Gateway(*arguments, folder=tmp_path) as gateway:
        gateway.wait_ready()
        drafted = logprobs(gateway.port)
        assert [token["token"] for token in drafted] == [token["token"] for token in plain]
        for ours, theirs in zip(drafted, plain):
            assert ours["logprob"] == pytest.approx(theirs["logprob"], abs=0.01)
        answer = ask(gateway.port, NATIVE, NATIVE.body("x", 12, temperature=0))
        assert answer.value["timings"]["draft_n"] > 0  # it was on


def test_tools_in_the_other_dialects(staged: Staged) -> None:
    gateway, server = staged
    for form, name, wrong in [
        (MESSAGES, "tool_choice", {"type": "sometimes"}),
        (MESSAGES, "tools", [{"input_schema": {}}]),
        (RESPONSES, "tool_choice", "sometimes"),
    ]:
        answer = ask(gateway.port, form, form.body("x", 4, **{name: wrong}))
        assert answer.status == 400, (form.name, answer.body)
        assert name in answer.error["message"]
    assert server.received == []
