"""One question in each form of API, and answers taken apart: what the cases share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from raw_http import Reply, post

Json = dict[str, Any]

PARAMETERS = {"type": "object", "properties": {"zone": {"type": "string", "enum": ["a"]}}, "required": ["zone"]}
CLOCK = {"type": "function", "function": {"name": "clock", "parameters": PARAMETERS}}
# The small model repeats it; from "required" alone it talks on until its limit, which llama-server allows.
CLOCK_CALL = 'Say exactly:\n<tool_call>\n{"name": "clock", "arguments": {"zone": "a"}}\n</tool_call>'


def fill(rows: int) -> str:
    """About 18 tokens a row, no two alike, on one line."""
    return " ".join(f"Row {i}: gauge reads {i * 7919 % 9973} on shelf {i % 37}." for i in range(rows))


def lines(rows: int) -> str:
    return fill(rows).replace(". Row", ".\nRow") + "\n"


@dataclass
class Event:
    name: str | None
    data: Any  # parsed; the text itself for [DONE]

    @property
    def error(self) -> Json | None:
        return self.data.get("error") if isinstance(self.data, dict) else None


def events_of(stream: bytes) -> list[Event]:
    """Cuts a finished stream; fails on anything that a strict client would stumble over."""
    text = stream.decode("utf-8")
    assert text == "" or text.endswith("\n\n"), text[-200:]
    events = []
    for block in text.split("\n\n")[:-1]:
        name, data = None, []
        for line in block.split("\n"):
            if line.startswith(":"):
                continue
            kind, _, value = line.partition(": ")
            assert kind in ("event", "data"), line
            if kind == "event":
                name = value
            else:
                data.append(value)
        if not data:
            continue
        joined = "\n".join(data)
        events.append(Event(name, joined if joined == "[DONE]" else json.loads(joined)))
    return events


@dataclass
class Answer:
    """What came back, and what it says whichever form it has."""

    status: int
    headers: dict[str, str]
    body: bytes
    value: Any = None  # of a reply in one piece
    events: list[Event] = field(default_factory=list)  # of a stream
    text: str = ""
    finish: str | None = None

    @property
    def error(self) -> Json:
        return self.value["error"]


def take_chat(answer: Answer) -> None:
    if answer.value:
        choice = answer.value["choices"][0]
        answer.text, answer.finish = choice["message"].get("content") or "", choice["finish_reason"]
    for event in answer.events:
        for choice in event.data.get("choices", []) if event.data != "[DONE]" else []:
            answer.text += choice["delta"].get("content") or ""
            answer.finish = choice["finish_reason"] or answer.finish


def take_text(answer: Answer) -> None:
    for value in [answer.value] if answer.value else [e.data for e in answer.events]:
        for choice in value.get("choices", []) if value != "[DONE]" else []:
            answer.text += choice["text"]
            answer.finish = choice["finish_reason"] or answer.finish


def take_native(answer: Answer) -> None:
    for value in [answer.value] if answer.value else [e.data for e in answer.events]:
        answer.text += value.get("content", "")
        if value.get("stop"):
            answer.finish = {"limit": "length", "eos": "stop", "word": "stop"}[value["stop_type"]]


def take_messages(answer: Answer) -> None:
    if answer.value:
        answer.text = "".join(block.get("text", "") for block in answer.value["content"])
        answer.finish = answer.value["stop_reason"]
    for event in answer.events:
        delta = event.data.get("delta", {})
        answer.text += delta.get("text", "")
        answer.finish = delta.get("stop_reason") or answer.finish


def take_responses(answer: Answer) -> None:
    values = [answer.value] if answer.value else [e.data["response"] for e in answer.events if "response" in e.data]
    if values:
        parts = [p for item in values[-1]["output"] for p in item.get("content", [])]
        whole = "".join(part.get("text", "") for part in parts)
        answer.text, answer.finish = whole, values[-1]["status"]
    if answer.events:
        deltas = [e.data["delta"] for e in answer.events if e.name == "response.output_text.delta"]
        assert "".join(deltas) == answer.text


@dataclass(frozen=True)
class Form:
    """One form of API: how it asks for text, and how it answers."""

    name: str
    path: str
    prompt: Callable[[str], Json]
    limit: str  # the field that bounds the answer
    take: Callable[[Answer], None]

    def body(self, text: str, limit: int | None = None, **fields: Any) -> Json:
        return self.prompt(text) | ({self.limit: limit} if limit is not None else {}) | fields


def user(text: str) -> Json:
    return {"messages": [{"role": "user", "content": text}]}


CHAT = Form("chat", "/v1/chat/completions", user, "max_tokens", take_chat)
TEXT = Form("text", "/v1/completions", lambda text: {"prompt": text}, "max_tokens", take_text)
NATIVE = Form("native", "/completion", lambda text: {"prompt": text}, "n_predict", take_native)
MESSAGES = Form("messages", "/v1/messages", user, "max_tokens", take_messages)
RESPONSES = Form("responses", "/v1/responses", lambda text: {"input": text}, "max_output_tokens", take_responses)
FORMS = (CHAT, TEXT, NATIVE, MESSAGES, RESPONSES)
CHATS = (CHAT, MESSAGES, RESPONSES)


def encoded(body: Json | bytes) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()


def answer_of(form: Form, reply: Reply) -> Answer:
    answer = Answer(reply.status, reply.headers, reply.body)
    if reply.headers.get("content-type", "").startswith("text/event-stream"):
        assert reply.complete
        answer.events = events_of(reply.body)
    else:
        answer.value = json.loads(reply.body)
    if reply.status == 200 and not any(event.error for event in answer.events):
        form.take(answer)
    return answer


def ask(port: int, form: Form, body: Json | bytes) -> Answer:
    return answer_of(form, post(port, form.path, encoded(body)))
