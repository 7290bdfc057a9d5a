"""H7: a tool call is the same call, streamed or not.

What each dialect's stream is put together to is tested beside src/gateway/dialect/reply.h; a call that is cut short
in test_message_lists.py.
"""

from __future__ import annotations

import json

import pytest

from asking import CHAT, CLOCK, CLOCK_CALL, MESSAGES, Answer, Json, ask
from gateway_process import Gateway
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Script, chunk, event
from staging import Staged, healthy

OSLO = '{"city":"Oslo \\"N\\" \\u2713"}'
QUITO = '{"city":"Quito"}'
CALLS = [("c1", "weather", OSLO), ("c2", "weather", QUITO), ("c3", "now", "{}")]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def piece(calls: list[Json], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"tool_calls": calls} if calls else {}, "finish_reason": reason}
    return event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def call_stream() -> bytes:
    """As llama-server sends calls: the name in one delta, the arguments in pieces of a few characters."""
    events = []
    for index, (ident, name, arguments) in enumerate(CALLS):
        function = {"name": name, "arguments": ""}
        events.append(piece([{"index": index, "id": ident, "type": "function", "function": function}]))
        for i in range(0, len(arguments), 3):
            events.append(piece([{"index": index, "function": {"arguments": arguments[i : i + 3]}}]))
    events.append(piece([], "tool_calls"))
    usage = {"prompt_tokens": 9, "completion_tokens": 30, "total_tokens": 39}
    events.append(event({"id": "c", "choices": [], "usage": usage}))
    return b"".join(events) + DONE


def replay(stream: bytes) -> Script:
    return [EVENT_STREAM, *(chunk(stream[i : i + 11]) for i in range(0, len(stream), 11)), LAST_CHUNK]


def calls_in(answer: Answer) -> list[tuple[str, str, str]]:
    """(id, name, arguments) of each; checks the order of a stream's deltas."""
    if answer.value:
        calls = answer.value["choices"][0]["message"]["tool_calls"]
        assert all(call["type"] == "function" for call in calls)
        return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls]
    found: list[list[str]] = []
    for value in (e.data for e in answer.events if e.data != "[DONE]"):
        for choice in value["choices"]:
            for call in choice["delta"].get("tool_calls", []):
                if call["index"] == len(found):
                    found.append([call["id"], call["function"]["name"], ""])
                    assert call["type"] == "function"
                else:
                    assert call["index"] == len(found) - 1 and "id" not in call and "name" not in call["function"]
                found[-1][2] += call["function"]["arguments"]
    return [tuple(call) for call in found]


@pytest.mark.parametrize("stream", [False, True])
def test_parallel_calls(staged_child: Staged, stream: bool) -> None:
    gateway, server = staged_child
    server.answer = healthy(lambda _: replay(call_stream()))
    answer = ask(gateway.port, CHAT, CHAT.body("x", 60, tools=[TOOL], stream=stream))
    assert (answer.status, bool(answer.events)) == (200, stream), answer.body
    assert calls_in(answer) == CALLS
    assert all(isinstance(json.loads(arguments), dict) for _, _, arguments in calls_in(answer))
    assert answer.finish == "tool_calls"
    if stream:
        finishes = [c["finish_reason"] for e in answer.events[:-1] for c in e.data["choices"] if c["finish_reason"]]
        assert finishes == ["tool_calls"]
        assert answer.events[-1].data == "[DONE]"


def named(name: str, **data: object) -> bytes:
    return f"event: {name}\n".encode() + event({"type": name, **data})


def message_stream() -> bytes:
    usage = {"input_tokens": 9, "cache_read_input_tokens": 0, "output_tokens": 0}
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": None}
    events = [named("message_start", message=message | {"stop_sequence": None, "usage": usage})]
    for index, (ident, name, arguments) in enumerate(CALLS):
        block = {"type": "tool_use", "id": ident, "name": name, "input": {}}
        events.append(named("content_block_start", index=index, content_block=block))
        for i in range(0, len(arguments), 3):
            delta = {"type": "input_json_delta", "partial_json": arguments[i : i + 3]}
            events.append(named("content_block_delta", index=index, delta=delta))
        events.append(named("content_block_stop", index=index))
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    events += [named("message_delta", delta=end, usage={"output_tokens": 30}), named("message_stop")]
    return b"".join(events)


@pytest.mark.parametrize("stream", [False, True])
def test_parallel_calls_as_blocks(staged_child: Staged, stream: bool) -> None:
    gateway, server = staged_child
    server.answer = healthy(lambda _: replay(message_stream()))
    answer = ask(gateway.port, MESSAGES, MESSAGES.body("x", 60, stream=stream))
    assert (answer.status, bool(answer.events)) == (200, stream), answer.body
    assert answer.finish == "tool_use"
    if stream:
        blocks: list[Json] = []
        for value in (e.data for e in answer.events if e.data["type"].startswith("content_block")):
            if value["type"] == "content_block_start":
                assert value["index"] == len(blocks)
                blocks.append(value["content_block"] | {"input": ""})
            elif value["type"] == "content_block_delta":
                blocks[value["index"]]["input"] += value["delta"]["partial_json"]
        for block in blocks:
            block["input"] = json.loads(block["input"])
    else:
        blocks = answer.value["content"]
    wanted = [{"type": "tool_use", "id": i, "name": n, "input": json.loads(a)} for i, n, a in CALLS]
    assert blocks == wanted


def test_a_real_call_is_the_same_in_both_modes(small_child: Gateway) -> None:
    answers = []
    for stream in (False, True):
        options = {"tools": [CLOCK], "tool_choice": "required", "parallel_tool_calls": False}
        body = CHAT.body(CLOCK_CALL, 60, temperature=0, stream=stream, **options)
        answers.append(ask(small_child.port, CHAT, body))
        assert (answers[-1].status, answers[-1].finish) == (200, "tool_calls")
    whole, streamed = ([call[1:] for call in calls_in(answer)] for answer in answers)
    assert whole == streamed
    assert whole[0][0] == "clock"
    assert answers[0].text == answers[1].text
