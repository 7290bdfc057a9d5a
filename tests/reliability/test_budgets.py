"""H15: the budget holds at every length, and the middle of a text has its chance.

The texts of a few lines on the command line, in tests/cli/test_skim_output.py; selection by itself beside
src/skim/select.cpp. The sanitizer builds run those.
"""

from __future__ import annotations

import json

import pytest

from asking import CHAT, Json, encoded, lines
from raw_http import post
from scripted import reply
from staging import Staged

QUESTION = "What is on shelf 17?"
CHUNK = 32  # tokens that are scored together
SEGMENT = 1024  # tokens that the drafter reads together


def skimmed(staged: Staged, text: str, keep: float) -> tuple[Json, str]:
    """The reply's account, and the text that was sent in place of `text`."""
    gateway, server = staged
    server.received.clear()
    server.answer = lambda _: [reply(b'{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}')]
    messages = [{"role": "user", "content": text}, {"role": "user", "content": QUESTION}]
    wish = {"mode": "always", "keep_ratio": keep, "spans": True}
    answer = post(gateway.port, CHAT.path, encoded({"messages": messages, "max_tokens": 1, "skim": wish}))
    assert answer.status == 200, answer.body
    [body] = server.bodies(CHAT.path)
    return json.loads(answer.body)["skim"], json.loads(body)["messages"][0]["content"]


def words(count: int) -> str:
    """About so many tokens, a line every dozen words."""
    return "".join(f"w{i % 97}" + ("\n" if i % 12 == 11 else " ") for i in range(count // 2))


AROUND_EDGES = [0, 1, 2, *(edge + d for edge in (CHUNK, 2 * CHUNK, 256, SEGMENT, 2 * SEGMENT) for d in (-1, 0, 1))]


@pytest.mark.parametrize("keep", [0.01, 0.2, 0.999])
def test_the_budget_holds_at_every_length(staged: Staged, keep: float) -> None:
    n_skimmed = 0
    for length in (*AROUND_EDGES, *range(300, 1600, 97)):
        text = words(length)
        skim, sent = skimmed(staged, text, keep)
        if skim["decision"] == "whole":
            assert sent == text
            assert skim["reason"]
            continue
        n_skimmed += 1
        assert skim["kept_tokens"] <= keep * skim["tokens"] + 1e-6
        encoded_text = text.encode()
        position = 0
        for span in skim["spans"]:
            assert position <= span["begin"] < span["end"] <= len(encoded_text)
            assert encoded_text[span["begin"] : span["end"]].decode().strip() in sent
            position = span["end"]
    assert n_skimmed > (10 if keep > 0.1 else 0)


def test_keeping_everything_is_the_text_itself(staged: Staged) -> None:
    for length in (1, CHUNK, 500, SEGMENT + 1, 3000):
        skim, sent = skimmed(staged, words(length), 1.0)
        assert sent == words(length)
        assert skim["decision"] == "whole"


def test_a_short_text_is_never_thinned(staged: Staged) -> None:
    for length in (1, CHUNK - 1, CHUNK):
        skim, sent = skimmed(staged, words(length), 0.01)
        assert (skim["decision"], sent) == ("whole", words(length))


def test_two_runs_agree(staged: Staged) -> None:
    for length in (CHUNK * 20 + 1, SEGMENT + 1, 2500):
        first, second = (skimmed(staged, words(length), 0.2) for _ in range(2))
        assert first[1] == second[1]
        assert first[0]["spans"] == second[0]["spans"]


@pytest.mark.parametrize("rows", [60, 130, 300])
def test_no_share_is_kept_for_beginning_and_end(staged: Staged, rows: int) -> None:
    """A line with the question's words in the exact middle; the drafter's attention is noise here."""
    needle = "What is on shelf 17? On shelf 17 is the lantern.\n"
    text = lines(rows // 2) + needle + lines(rows // 2)
    skim, sent = skimmed(staged, text, 0.2)
    assert skim["decision"] == "skimmed"
    assert needle.strip() in sent
    size = len(text.encode())
    middle = sum(s["end"] - s["begin"] for s in skim["spans"] if size * 0.25 < s["begin"] < size * 0.75)
    assert middle > 0
