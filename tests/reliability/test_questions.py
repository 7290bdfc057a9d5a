"""H16: the question is the person's, wherever it stands.

At the end of a text, in tests/gateway/test_skim.py and test_child.py. Drafters with weights that are not finite or all zero, in tests/cli/test_drafters.py.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import gguf
import numpy as np
import pytest

from asking import CHAT, Json, encoded, lines
from gateway_process import Gateway
from raw_http import get, post
from scripted import Scripted, reply
from staging import Staged

LOCKER = "Locker 88 opens with 4417."
QUESTION = "Which number opens locker 88?"
TEXT = lines(12) + LOCKER + "\n" + lines(18)
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def turns(*pairs: tuple[str, str]) -> list[Json]:
    return [{"role": role, "content": content} for role, content in pairs]


PLACES: dict[str, list[Json]] = {
    "first": turns(("user", f"{QUESTION}\n{TEXT}")),
    "before a tool result": [
        *turns(("user", QUESTION)),
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": TEXT},
    ],
    "a turn before": turns(("user", TEXT), ("assistant", "I have read it."), ("user", QUESTION)),
}


@pytest.fixture(scope="module")
def reading(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--prefill-drafter", str(model)]
        yield stack.enter_context(Gateway(*arguments, folder=tmp_path_factory.mktemp("questions"))), server


def skimmed(staged: Staged, messages: list[Json], **wish: object) -> tuple[Json, str]:
    gateway, server = staged
    server.received.clear()
    server.answer = lambda _: [reply(b'{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}')]
    skim = {"mode": "always", "keep_ratio": 0.15, "spans": True} | wish
    answer = post(gateway.port, CHAT.path, encoded({"messages": messages, "max_tokens": 1, "skim": skim}))
    assert answer.status == 200, answer.body
    [body] = server.bodies(CHAT.path)
    return json.loads(answer.body)["skim"], body.decode()


@pytest.mark.parametrize("place", PLACES)
def test_the_answer_is_kept_wherever_the_question_stands(reading: Staged, place: str) -> None:
    skim, sent = skimmed(reading, PLACES[place])
    assert skim["decision"] == "skimmed"
    assert skim["question"] == QUESTION
    assert LOCKER in sent


def test_a_question_in_the_middle_can_be_named(reading: Staged) -> None:
    """It is not found by itself; a client that knows it says it."""
    half = TEXT.index("Row 14")
    messages = turns(("user", f"{TEXT[:half]}{QUESTION}\n{TEXT[half:]}"))
    skim, sent = skimmed(reading, messages, question=QUESTION)
    assert skim["question"] == QUESTION
    assert LOCKER in sent


def test_a_word_to_go_on_is_not_taken_for_more_than_it_is(staged: Staged) -> None:
    """The question stood a turn before; what was used in its place is told."""
    messages = turns(("user", f"{TEXT}\n{QUESTION}"), ("assistant", "Shall I look?"), ("user", "go on"))
    skim, _ = skimmed(staged, messages)
    assert skim["question"] == "go on"


def test_scores_that_are_not_finite_are_told_and_counted(toy: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    shutil.copy(toy, broken)
    for tensor in gguf.GGUFReader(broken, "r+").tensors:
        if tensor.name == "blk.0.attn_norm.weight":
            tensor.data[:] = np.float32("nan")
            tensor.data.flush()
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--prefill-drafter", str(broken)]
        gateway = stack.enter_context(Gateway(*arguments, folder=tmp_path))
        skim, sent = skimmed((gateway, server), PLACES["first"])
        assert skim["decision"] == "whole"
        assert "not finite" in skim["reason"]
        assert json.loads(sent)["messages"] == PLACES["first"]
        assert 'skimfill_prompts_total{decision="whole"} 1' in get(gateway.port, "/metrics").body.decode()
        assert "not finite" in gateway.log
