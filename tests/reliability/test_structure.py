"""H14: what holds a conversation together is never thinned: system prompt, tools, turns, the last question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from asking import CHAT, Json, encoded, fill
from gateway_process import Gateway
from raw_http import post
from scripted import Scripted, reply
from staging import Staged

RULE = "End every answer with PIPIT-9."
FACT = "The harbour master moved the ferry to the sou-th pier."
QUESTION = "To which pier did the harbour master move the ferry?"


def tools() -> list[Json]:
    padding = " ".join(f"Field {i} is optional and rarely used." for i in range(18))
    made = []
    for i in range(40):
        side = {"type": "string", "enum": ["north", "sou-th"]} if i == 20 else {"type": "string"}
        parameters = {"type": "object", "properties": {"side": side}}
        function = {"name": f"tool_{i}", "description": padding, "parameters": parameters}
        made.append({"type": "function", "function": function})
    return made


def conversation(rows: int, last_is_tool: bool, results: int = 10) -> list[Json]:
    messages: list[Json] = [{"role": "system", "content": RULE}, {"role": "user", "content": QUESTION}]
    for i in range(results):
        call = {"id": f"c{i}", "type": "function", "function": {"name": f"tool_{i}", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = fill(rows).replace(". ", ".\n")
        if i == 3:
            text = text.replace("\n", f"\n{FACT}\n", rows // 2).replace(f"{FACT}\n", "", rows // 2 - 1)
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": text})
    if not last_is_tool:
        messages.append({"role": "user", "content": QUESTION})
    return messages


def sent_and_got(staged: Staged, body: Json) -> tuple[Json, Json]:
    """The body that reached the target, and the reply."""
    gateway, server = staged
    server.received.clear()
    message = {"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}
    server.answer = lambda _: [reply(json.dumps({"choices": [message]}).encode())]
    answer = post(gateway.port, CHAT.path, encoded(body))
    assert answer.status == 200, answer.body
    [sent] = server.bodies(CHAT.path)
    return json.loads(sent), json.loads(answer.body)


@pytest.mark.parametrize("last_is_tool", [False, True])
def test_all_but_tool_results_is_sent_as_it_came(staged: Staged, last_is_tool: bool) -> None:
    messages = conversation(100, last_is_tool)
    wish = {"mode": "always", "keep_ratio": 0.1, "spans": True}
    sent, got = sent_and_got(staged, {"messages": messages, "tools": tools(), "max_tokens": 4, "skim": wish})
    assert got["skim"]["decision"] == "skimmed"
    assert sent["tools"] == tools()
    assert [m["role"] for m in sent["messages"]] == [m["role"] for m in messages]
    for before, after in zip(messages, sent["messages"]):
        if before["role"] != "tool":
            assert after == before
            continue
        assert after | {"content": ""} == before | {"content": ""}
        whole = {"", "[...]", *before["content"].split("\n")}
        assert all(line in whole for line in after["content"].split("\n"))
    spans = got["skim"]["spans"]
    assert {messages[span["message"]]["role"] for span in spans} == {"tool"}
    for span in spans:
        text = messages[span["message"]]["content"].encode()
        assert span["begin"] == 0 or text[span["begin"] - 1 : span["begin"]] == b"\n"
        assert span["end"] == len(text) or text[span["end"] - 1 : span["end"]] == b"\n"


def test_where_nothing_may_be_left_out_it_says_so(staged: Staged) -> None:
    messages = [{"role": "system", "content": RULE + fill(100)}, {"role": "user", "content": QUESTION}]
    body = {"messages": messages, "tools": tools(), "max_tokens": 4}
    sent, got = sent_and_got(staged, body | {"skim": {"mode": "always", "budget": 10}})
    assert sent == body
    assert got["skim"]["decision"] == "whole"
    assert got["skim"]["reason"]


def test_a_budget_too_small_for_any_line_says_so(staged: Staged) -> None:
    body = {"messages": conversation(20, False), "max_tokens": 4}
    sent, got = sent_and_got(staged, body | {"skim": {"mode": "always", "budget": 2}})
    assert sent == body
    assert got["skim"]["decision"] == "whole"
    assert "budget" in got["skim"]["reason"]


@pytest.fixture(scope="module")
def read_by_small_model(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--prefill-drafter", str(model)]
        yield stack.enter_context(Gateway(*arguments, folder=tmp_path_factory.mktemp("structure"))), server


def test_the_fact_is_kept_where_it_stood(read_by_small_model: Staged) -> None:
    messages = conversation(8, last_is_tool=False, results=4)
    body = {"messages": messages, "max_tokens": 4, "skim": {"mode": "always", "keep_ratio": 0.1}}
    sent, got = sent_and_got(read_by_small_model, body)
    assert got["skim"]["kept_tokens"] <= 0.1 * got["skim"]["tokens"]
    [place] = [i for i, m in enumerate(messages) if FACT in (m["content"] or "")]
    assert FACT in sent["messages"][place]["content"]
