"""H13: the target's prefix cache under prompts that are skimmed: what is cached is what was sent, and an answer is the
same with the cache and without."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from asking import CHAT, Json, ask, encoded, lines
from gateway_process import Gateway
from raw_http import Connection


def system(codename: str) -> Json:
    rules = " ".join(f"{codename} {i}: keep shelf {i * 7 % 31} dry." for i in range(60))
    return {"role": "system", "content": f"Codename {codename}.\n{rules}"}


def asking(codename: str, rows: int, question: str, keep: float | None = None) -> Json:
    text = (lines(rows) if rows else "") + question
    skim = {"mode": "always", "keep_ratio": keep, "spans": True} if keep else {"mode": "off"}
    return {
        "messages": [system(codename), {"role": "user", "content": text}],
        "max_tokens": 3,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 5,
        "skim": skim,
    }


QUESTION = "What is the codename? Reply with it only."
ROUNDS = [
    asking("MARLIN-58", 0, "Hello."),
    asking("MARLIN-58", 90, QUESTION, 0.2),
    asking("HERON-7", 90, QUESTION, 0.2),
    asking("MARLIN-58", 90, "Which shelf has row 9?", 0.4),
    asking("MARLIN-58", 90, QUESTION, 0.2),
    asking("MARLIN-58", 40, QUESTION, 0.2),
    asking("HERON-7", 0, "Hello."),
]


def answered(gateway: Gateway, body: Json, cached: bool) -> Json:
    answer = ask(gateway.port, CHAT, body | {"cache_prompt": cached})
    assert answer.status == 200, answer.body
    return answer.value


def first_choices(value: Json) -> dict[str, float]:
    first = value["choices"][0]["logprobs"]["content"][0]
    return {choice["token"]: choice["logprob"] for choice in first["top_logprobs"]}


def same(a: dict[str, float], b: dict[str, float]) -> bool:
    """The toy's weights are random, so its probabilities are like a hash of all that it read."""
    return a.keys() == b.keys() and all(a[token] == pytest.approx(b[token], abs=0.2) for token in a)


def counts_are_true(value: Json) -> None:
    details = value["usage"]["prompt_tokens_details"]
    sent = details.get("kept_tokens", value["usage"]["prompt_tokens"])
    assert 0 <= details["cached_tokens"] <= sent <= value["usage"]["prompt_tokens"]


@pytest.fixture(scope="module")
def uncached(toy_child: Gateway) -> list[dict[str, float]]:
    return [first_choices(answered(toy_child, body, cached=False)) for body in ROUNDS]


def test_the_measure_tells_one_prompt_from_another(uncached: list[dict[str, float]]) -> None:
    assert not same(uncached[1], uncached[2])  # another system prompt
    assert same(uncached[1], uncached[4])


def test_answers_are_the_same_with_the_cache(toy_child: Gateway, uncached: list[dict[str, float]]) -> None:
    from_cache = 0
    for body, wanted in zip(ROUNDS, uncached):
        value = answered(toy_child, body, cached=True)
        assert same(first_choices(value), wanted)
        counts_are_true(value)
        from_cache += value["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert from_cache > 0


def test_the_same_prompt_again_comes_from_the_cache(toy_child: Gateway) -> None:
    first, second = (answered(toy_child, ROUNDS[1], cached=True) for _ in range(2))
    assert second["skim"]["spans"] == first["skim"]["spans"]
    details = second["usage"]["prompt_tokens_details"]
    assert details["cached_tokens"] >= details["kept_tokens"] - 1


def test_two_conversations_side_by_side(toy_child: Gateway, uncached: list[dict[str, float]]) -> None:
    def converse(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(12):
            place = chance.randrange(len(ROUNDS))
            if chance.random() < 0.3:
                with Connection(toy_child.port) as leaving:
                    leaving.post(CHAT.path, encoded(ROUNDS[place] | {"stream": chance.random() < 0.5}))
                continue
            value = answered(toy_child, ROUNDS[place], cached=True)
            assert same(first_choices(value), uncached[place]), json.dumps(ROUNDS[place])[:200]
            counts_are_true(value)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(converse, (1, 2)))
