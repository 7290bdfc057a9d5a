"""A gateway in front of a scripted target, and what a scripted llama-server says of itself."""

from __future__ import annotations

import json
from collections.abc import Callable

from gateway_process import Gateway
from scripted import Received, Script, Scripted, reply

Staged = tuple[Gateway, Scripted]
SLOTS = 2


def nothing(_: Received) -> Script:
    return []


def healthy(answer: Callable[[Received], Script]) -> Callable[[Received], Script]:
    """What a llama-server says of itself, around what it answers."""

    def wrapped(request: Received) -> Script:
        if request.path == "/health":
            return [reply(b'{"status":"ok"}')]
        if request.path == "/props":
            return [reply(json.dumps({"total_slots": SLOTS, "default_generation_settings": {"n_ctx": 4096}}).encode())]
        if request.path == "/slots":
            return [reply(json.dumps([{"id": i, "n_ctx": 4096} for i in range(SLOTS)]).encode())]
        return answer(request)

    return wrapped
