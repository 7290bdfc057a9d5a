"""What a target answers in each form of API, as llama-server does: in one piece, and as a stream."""

from __future__ import annotations

import json
from dataclasses import dataclass

from asking import CHAT, MESSAGES, NATIVE, RESPONSES, TEXT, Form, Json
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, chunk, delta, event, reply

TEXT_PIECES = ("73", "91 é")
SENT, CACHED, GENERATED = 90, 10, 2  # tokens of what went to the target
TIMINGS = {"cache_n": CACHED, "prompt_n": SENT - CACHED, "prompt_ms": 40.0, "predicted_n": 2, "predicted_ms": 20.0}
OPENAI_USAGE = {
    "prompt_tokens": SENT,
    "completion_tokens": GENERATED,
    "total_tokens": SENT + GENERATED,
    "prompt_tokens_details": {"cached_tokens": CACHED},
}
RESPONSES_USAGE = {
    "input_tokens": SENT,
    "output_tokens": GENERATED,
    "total_tokens": SENT + GENERATED,
    "input_tokens_details": {"cached_tokens": CACHED},
}
MESSAGES_USAGE = {"input_tokens": SENT - CACHED, "cache_read_input_tokens": CACHED, "output_tokens": GENERATED}


def named(name: str, **data: object) -> bytes:
    return f"event: {name}\n".encode() + event({"type": name, **data})


@dataclass(frozen=True)
class Spoken:
    form: Form
    counting: str  # the route by which the target counts a prompt
    whole: Json
    events: tuple[bytes, ...]
    last: int  # which of the events gets the times and `skim`

    def __str__(self) -> str:
        return self.form.name

    def answer(self, request: Received) -> Script:
        if b'"stream": true' not in request.body:
            return [reply(json.dumps(self.whole, ensure_ascii=False).encode())]
        return [EVENT_STREAM, *(chunk(e) for e in self.events), LAST_CHUNK]


def whole_text() -> str:
    return "".join(TEXT_PIECES)


def chat() -> Spoken:
    message = {"role": "assistant", "content": whole_text()}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    stem = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    last = stem | {"object": "chat.completion.chunk", "choices": [], "usage": OPENAI_USAGE, "timings": TIMINGS}
    return Spoken(
        CHAT,
        CHAT.path + "/input_tokens",
        stem | {"choices": [choice], "usage": OPENAI_USAGE, "timings": TIMINGS},
        (*(event(delta(t)) for t in TEXT_PIECES), event(delta("", "stop")), event(last), DONE),
        last=-2,
    )


def text() -> Spoken:
    stem = {"id": "t1", "object": "text_completion", "created": 1, "model": "m"}

    def piece(text: str, reason: str | None = None) -> Json:
        return stem | {"choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": reason}]}

    numbers = {"usage": OPENAI_USAGE, "timings": TIMINGS}
    return Spoken(
        TEXT,
        "/tokenize",
        piece(whole_text(), "stop") | numbers,
        (*(event(piece(t)) for t in TEXT_PIECES), event(piece("", "stop") | numbers), DONE),
        last=-2,
    )


def native() -> Spoken:
    end = {"stop": True, "stop_type": "eos", "tokens_evaluated": SENT, "timings": TIMINGS}
    pieces = ({"index": 0, "content": t, "stop": False} for t in TEXT_PIECES)
    return Spoken(
        NATIVE,
        "/tokenize",
        {"index": 0, "content": whole_text(), **end},
        (*map(event, pieces), event({"index": 0, "content": "", **end})),
        last=-1,
    )


def messages() -> Spoken:
    stem = {"id": "m1", "type": "message", "role": "assistant", "model": "m"}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    started = stem | {"content": [], "stop_reason": None, "usage": MESSAGES_USAGE | {"output_tokens": 0}}
    pieces = ({"type": "text_delta", "text": t} for t in TEXT_PIECES)
    return Spoken(
        MESSAGES,
        MESSAGES.path + "/count_tokens",
        stem | {"content": [{"type": "text", "text": whole_text()}], **end, "usage": MESSAGES_USAGE},
        (
            named("message_start", message=started),
            named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
            *(named("content_block_delta", index=0, delta=d) for d in pieces),
            named("content_block_stop", index=0),
            named("message_delta", delta=end, usage={"output_tokens": GENERATED}),
            named("message_stop"),
        ),
        last=-2,
    )


def responses() -> Spoken:
    stem = {"id": "r1", "object": "response", "created_at": 1, "model": "m"}
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": whole_text()}
    item = {"type": "message", "id": "i1", "role": "assistant", "status": "completed", "content": [part]}
    whole = stem | {"status": "completed", "output": [item], "usage": RESPONSES_USAGE}
    place = {"item_id": "i1", "output_index": 0, "content_index": 0}
    return Spoken(
        RESPONSES,
        RESPONSES.path + "/input_tokens",
        whole,
        (
            named("response.created", response=stem | {"status": "in_progress"}),
            named("response.output_item.added", output_index=0, item=item | {"content": []}),
            named("response.content_part.added", **place, part=part | {"text": ""}),
            *(named("response.output_text.delta", **place, delta=t) for t in TEXT_PIECES),
            named("response.output_text.done", **place, text=whole_text()),
            named("response.output_item.done", output_index=0, item=item),
            named("response.completed", response=whole, timings=TIMINGS),
        ),
        last=-1,
    )


ALL = (chat(), text(), native(), messages(), responses())
