"""The clients that people use, against a child and against the same llama-server without us."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from built import ROOT
from gateway_process import Gateway, LlamaServer
from prompts import NEEDLE, QUESTION, document
from raw_http import post

Json = dict[str, Any]

# Without the cache a prompt is read the same way every time, so greedy answers and counts are the same.
TEMPLATE = ROOT / "tests" / "reliability" / "tools.jinja"
TARGET = ("-c", "4096", "-np", "2", "-t", "1", "--no-cache-prompt", "--chat-template-file", TEMPLATE)
SHORT = "Say hello."
PARAMETERS = {"type": "object", "properties": {"zone": {"type": "string", "enum": ["a"]}}, "required": ["zone"]}
CLOCK = {"name": "clock", "description": "Tells the time.", "parameters": PARAMETERS}
# The small model repeats it.
CALL = 'Say exactly:\n<tool_call>\n{"name": "clock", "arguments": {"zone": "a"}}\n</tool_call>'
LONG = f"{document(18)}\n\n{QUESTION}"
WISH = {"mode": "always", "keep_ratio": 0.3, "spans": True}
FEW, SOME = 8, 40  # tokens of an answer
TIME = "some time"
IDS = ("id", "call_id", "created", "created_at", "completed_at")


class Server:
    """The clients of one server."""

    def __init__(self, gateway: Gateway) -> None:
        self.port = gateway.port
        home = f"http://127.0.0.1:{gateway.port}"
        self.openai = openai.OpenAI(base_url=f"{home}/v1", api_key="none", max_retries=0)
        self.anthropic = anthropic.Anthropic(base_url=home, api_key="none", max_retries=0)


@dataclass
class Reply:
    value: Json  # what the client library made of it
    account: Json  # the object with times and `skim`, as it came
    wall_ms: float = 0


def joined(deltas: list[Any]) -> Any:
    """What a message's deltas come to: texts are joined, list items by their index, all else stands once."""
    whole: Json = {}
    for delta in deltas:
        for name, piece in delta.items():
            if isinstance(piece, list):
                whole.setdefault(name, []).extend(piece)
            elif isinstance(piece, str) and name in ("content", "arguments"):
                whole[name] = (whole.get(name) or "") + piece
            elif piece is not None:
                whole[name] = piece
    for name, items in whole.items():
        if isinstance(items, list):
            indices = sorted({item["index"] for item in items})
            whole[name] = [joined([item for item in items if item["index"] == i]) for i in indices]
        elif isinstance(items, dict):
            whole[name] = joined([delta[name] for delta in deltas if delta.get(name)])
    return whole


def as_json(model: Any) -> Json:
    return model.to_dict(mode="json")


def said(text: str) -> list[Json]:
    return [{"role": "user", "content": text}]


def ask_chat(server: Server, text: str, limit: int, stream: bool, tool: bool, extra: Json) -> Reply:
    fields: Json = {"model": "m", "messages": said(text), "max_tokens": limit, "temperature": 0, "extra_body": extra}
    if tool:
        fields |= {"tools": [{"type": "function", "function": CLOCK}], "tool_choice": "required"}
    if not stream:
        value = as_json(server.openai.chat.completions.create(**fields))
        return Reply(value, value)
    options = {"stream": True, "stream_options": {"include_usage": True}}
    *chunks, last = [as_json(chunk) for chunk in server.openai.chat.completions.create(**fields, **options)]
    message = joined([chunk["choices"][0]["delta"] for chunk in chunks])
    for call in message.get("tool_calls", []):
        del call["index"]
    choice = chunks[-1]["choices"][0] | {"message": message}
    del choice["delta"]
    return Reply(last | {"object": "chat.completion", "choices": [choice]}, last)


def ask_text(server: Server, text: str, limit: int, stream: bool, tool: bool, extra: Json) -> Reply:
    fields: Json = {"model": "m", "prompt": text, "max_tokens": limit, "temperature": 0, "extra_body": extra}
    if not stream:
        value = as_json(server.openai.completions.create(**fields))
        return Reply(value, value)
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = [as_json(chunk) for chunk in server.openai.completions.create(**fields, **options)]
    pieces = [choice for chunk in chunks for choice in chunk["choices"]]
    whole = pieces[-1] | {"text": "".join(piece["text"] for piece in pieces)}
    return Reply(chunks[-1] | {"choices": [whole]}, chunks[-1])


def ask_messages(server: Server, text: str, limit: int, stream: bool, tool: bool, extra: Json) -> Reply:
    fields: Json = {"model": "m", "messages": said(text), "max_tokens": limit, "extra_body": {"temperature": 0} | extra}
    if tool:
        schema = {"name": CLOCK["name"], "description": CLOCK["description"], "input_schema": PARAMETERS}
        fields |= {"tools": [schema], "tool_choice": {"type": "any"}}
    if not stream:
        value = as_json(server.anthropic.messages.create(**fields))
        return Reply(value, value)
    with server.anthropic.messages.stream(**fields) as events:
        [account] = [as_json(event) for event in events if event.type == "message_delta"]
        value = as_json(events.get_final_message())
    return Reply(value | {k: account[k] for k in ("skim", "timings") if k in account}, account)


def ask_responses(server: Server, text: str, limit: int, stream: bool, tool: bool, extra: Json) -> Reply:
    fields: Json = {"model": "m", "input": text, "max_output_tokens": limit, "temperature": 0, "extra_body": extra}
    if tool:
        fields |= {"tools": [{"type": "function", "strict": True, **CLOCK}], "tool_choice": "required"}
    if not stream:
        value = as_json(server.openai.responses.create(**fields))
        return Reply(value, value)
    events = list(server.openai.responses.create(**fields, stream=True))
    assert events[0].type == "response.created"
    value = as_json(events[-1].response)
    return Reply(value, value)


Ask = Callable[[Server, str, int, bool, bool, Json], Reply]
APIS: dict[str, Ask] = {"chat": ask_chat, "text": ask_text, "messages": ask_messages, "responses": ask_responses}


@pytest.fixture(scope="module")
def served(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    ours = ("--prefill-drafter", model, "--prefill-compression", "off")
    with Gateway("-m", model, *TARGET, *ours, folder=tmp_path_factory.mktemp("clients")) as gateway:
        gateway.wait_ready()
        yield Server(gateway)


@pytest.fixture(scope="module")
def direct(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with LlamaServer("-m", model, *TARGET, folder=tmp_path_factory.mktemp("direct")) as server:
        server.wait_ready()
        yield Server(server)


def settled(value: Any) -> Any:
    """Without ids, the values of times, and the nulls that the libraries add."""
    if isinstance(value, list):
        return [settled(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {k: v for k, v in value.items() if v is not None and k not in IDS}
    return {k: TIME if k.endswith(("_ms", "_second")) else settled(v) for k, v in kept.items()}


def calls_of(reply: Reply) -> list[Json]:
    """The arguments of its tool calls."""
    value = reply.value
    if "choices" in value:
        calls = value["choices"][0]["message"].get("tool_calls") or []
        return [json.loads(call["function"]["arguments"]) for call in calls]
    if "output" in value:
        return [json.loads(item["arguments"]) for item in value["output"] if item["type"] == "function_call"]
    return [block["input"] for block in value["content"] if block["type"] == "tool_use"]


@pytest.mark.parametrize(("api", "tool"), [(a, t) for a in APIS for t in (False, True) if a != "text" or not t])
def test_without_a_skim_answers_are_the_targets(served: Server, direct: Server, api: str, tool: bool) -> None:
    ask = APIS[api]
    wish = (CALL, SOME) if tool else (SHORT, FEW)
    expected = ask(direct, *wish, False, tool, {})
    whole = ask(served, *wish, False, tool, {})
    stream = ask(served, *wish, True, tool, {})
    assert settled(whole.value) == settled(expected.value)
    assert settled(stream.value) == settled(expected.value)
    if tool:
        assert calls_of(whole) == [{"zone": "a"}]


Both = dict[bool, Reply]


@pytest.fixture(scope="module", params=APIS)
def skimmed(served: Server, request: pytest.FixtureRequest) -> tuple[str, Both]:
    """The same long question, answered in one piece and as a stream."""
    replies = {}
    for stream in (False, True):
        APIS[request.param](served, SHORT, 1, stream, False, {})  # the library loads much at the first use
        start = time.monotonic()
        replies[stream] = APIS[request.param](served, LONG, FEW, stream, False, {"skim": WISH})
        replies[stream].wall_ms = (time.monotonic() - start) * 1000
    return request.param, replies


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_times_add_up_to_the_clients_clock(skimmed: tuple[str, Both], stream: bool) -> None:
    reply = skimmed[1][stream]
    timings = reply.account["timings"]
    parts = [timings[f"{part}_ms"] for part in ("queue", "skim", "prefill", "other")]
    assert timings["prompt_ms"] == pytest.approx(sum(parts), abs=0.01)
    assert min(timings["skim_ms"], timings["prefill_ms"], timings["predicted_ms"]) > 0
    assert timings["ttft_ms"] <= reply.wall_ms
    # Not the machine's speed: both are of the same seconds.
    assert timings["prompt_ms"] + timings["predicted_ms"] == pytest.approx(reply.wall_ms, rel=0.02, abs=30)


def count(server: Server, api: str) -> int:
    """By the client's own way of counting, where it has one."""
    if api == "messages":
        return server.anthropic.messages.count_tokens(model="m", messages=said(LONG)).input_tokens
    if api == "responses":
        return server.openai.responses.input_tokens.count(model="m", input=LONG).input_tokens
    if api == "chat":
        body = json.dumps({"messages": said(LONG)}).encode()
        return json.loads(post(server.port, "/v1/chat/completions/input_tokens", body).body)["input_tokens"]
    body = json.dumps({"content": LONG, "add_special": True}).encode()
    return len(json.loads(post(server.port, "/tokenize", body).body)["tokens"])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_usage_counts_what_the_client_sent(served: Server, skimmed: tuple[str, Both], stream: bool) -> None:
    api, replies = skimmed
    usage = replies[stream].value["usage"]
    sent = count(served, api)
    if api == "messages":
        assert usage["input_tokens"] + usage["cache_read_input_tokens"] == sent
        kept = usage["kept_input_tokens"]
    else:
        way = "input" if api == "responses" else "prompt"
        assert usage[f"{way}_tokens"] == sent
        assert usage["total_tokens"] == sent + FEW
        kept = usage[f"{way}_tokens_details"]["kept_tokens"]
    assert kept < sent / 2
    assert replies[stream].account["timings"]["prompt_n"] == kept


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_the_wanted_line_is_kept(skimmed: tuple[str, Both], stream: bool) -> None:
    skim = skimmed[1][stream].account["skim"]
    assert skim["decision"] == "skimmed"
    assert 0 < skim["kept_tokens"] <= 0.3 * skim["tokens"]
    assert any(NEEDLE.encode() in LONG.encode()[s["begin"] : s["end"]] for s in skim["spans"])


def test_streamed_and_in_one_piece_agree_field_for_field(skimmed: tuple[str, Both]) -> None:
    replies = skimmed[1]
    assert settled(replies[True].value) == settled(replies[False].value)
