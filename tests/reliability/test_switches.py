"""H18: what is switched on is on, or it says that it is not.

A skim that is asked for without a drafter, flags that cannot be honoured, and a KV cache of eight bits beside a draft
model, in tests/cli and tests/gateway.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asking import CHAT, NATIVE, Json, ask, lines
from gateway_process import Gateway
from raw_http import get

QUESTION = "Which shelf has row 7?"
WISH = {"mode": "always", "keep_ratio": 0.2}


def props(gateway: Gateway) -> Json:
    return json.loads(get(gateway.port, "/props").body)


def test_props_tell_what_runs(toy_child: Gateway, toy: Path, tmp_path: Path) -> None:
    value = props(toy_child)
    assert value["total_slots"] == 2
    assert value["default_generation_settings"]["n_ctx"] == 4096  # of one request
    assert value["skimfill"]["mode"] == "auto"
    assert value["skimfill"]["parallel"] == 2
    answer = ask(toy_child.port, CHAT, CHAT.body(lines(60) + QUESTION, 1, skim=WISH))
    assert answer.value["skim"]["path"] in value["skimfill"]["skimmer"]
    with Gateway("-m", toy, "-c", "1024", "-np", "1", folder=tmp_path) as gateway:
        gateway.wait_ready()
        value = props(gateway)
        assert (value["skimfill"]["mode"], value["skimfill"]["skimmer"]) == ("off", None)


TEXTS = ["x", "one two three", lines(20)]


def test_a_draft_model_changes_no_answer(toy_child: Gateway, toy: Path, tmp_path: Path) -> None:
    """Greedy; the log-probabilities in test_known_fields.py. How often a draft is right is told per request."""
    arguments = ["-m", toy, "-c", "2048", "-np", "1", "--draft", toy, "--draft-block-size", "4"]
    with Gateway(*arguments, "--prefill-drafter", toy, folder=tmp_path) as gateway:
        gateway.wait_ready()
        for text in TEXTS:
            body = NATIVE.body(text, 24, temperature=0, ignore_eos=True)
            drafted = ask(gateway.port, NATIVE, body)
            assert drafted.value["timings"]["draft_n"] > 0
            assert drafted.text == ask(toy_child.port, NATIVE, body).text
        skimmed = ask(gateway.port, NATIVE, NATIVE.body(lines(60) + QUESTION, 24, temperature=0, skim=WISH))
        assert skimmed.value["skim"]["decision"] == "skimmed"
        assert skimmed.value["timings"]["draft_n"] > 0


@pytest.mark.parametrize("temperature", [None, 0, 0.8])
def test_every_request_says_whether_it_was_skimmed(toy_child: Gateway, temperature: float | None) -> None:
    fields = {} if temperature is None else {"temperature": temperature}
    for text, decision in ((lines(60) + QUESTION, "skimmed"), ("x", "whole")):
        for cached in (True, False):
            answer = ask(toy_child.port, CHAT, CHAT.body(text, 2, cache_prompt=cached, skim=WISH, **fields))
            skim = answer.value["skim"]
            assert skim["decision"] == decision
            assert skim["path"] and skim["device"] and skim["reason"]
