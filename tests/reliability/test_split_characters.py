"""H1: characters and stop words that lie across the edges of tokens.

How a stream's events pass when the target's bytes come in odd pieces is in tests/gateway/test_pass_through.py.
"""

from __future__ import annotations

import pytest

from asking import CHAT, MESSAGES, NATIVE, RESPONSES, TEXT, Answer, Form, ask
from gateway_process import Gateway

# Every token of the vocabulary is as likely as the next: parts of characters in any order.
SALAD = {"temperature": 1e6, "top_k": 0, "top_p": 1, "min_p": 0, "samplers": ["temperature"]}
EMOJI = "Write these again: 🧑🏽‍🚀 漢 ё ﷽ 👨‍👩‍👧 🇯🇵 ế 힣 𝄞"


def both(gateway: Gateway, form: Form, body: dict) -> Answer:
    """Asks streamed and unstreamed; they must agree. Returns the unstreamed answer."""
    whole, streamed = (ask(gateway.port, form, body | {"stream": stream}) for stream in (False, True))
    assert (whole.status, streamed.status) == (200, 200), (whole.body, streamed.body)
    assert (streamed.text, streamed.finish) == (whole.text, whole.finish)
    return whole


# Not the messages form: llama-server does not take its seed.
@pytest.mark.parametrize("form", [CHAT, TEXT, NATIVE, RESPONSES], ids=lambda form: form.name)
def test_streamed_and_unstreamed_noise_agree(toy_child: Gateway, form: Form) -> None:
    texts = [both(toy_child, form, form.body("x", 64, seed=seed, **SALAD)).text for seed in range(4)]
    assert any(not text.isascii() for text in texts)
    assert len(set(texts)) > 1


def test_an_answer_may_end_within_a_character(toy_child: Gateway) -> None:
    texts = [both(toy_child, NATIVE, NATIVE.body("x", limit, seed=3, **SALAD)).text for limit in range(1, 41, 3)]
    # What was sent once is never taken back, but for the end of a character that was never finished.
    for shorter, longer in zip(texts, texts[1:]):
        assert longer.startswith(shorter.rstrip("\ufffd"))


@pytest.mark.parametrize("form", [CHAT, MESSAGES, RESPONSES], ids=lambda form: form.name)
def test_real_emoji(small_child: Gateway, form: Form) -> None:
    answer = both(small_child, form, form.body(EMOJI, 24, temperature=0))
    assert not answer.text.isascii()


@pytest.mark.parametrize("form", [CHAT, TEXT, NATIVE], ids=lambda form: form.name)
def test_stop_words_end_the_text_where_they_begin(toy_child: Gateway, form: Form) -> None:
    fields = SALAD | {"seed": 5}
    text = ask(toy_child.port, form, form.body("x", 48, **fields)).text
    for begin, length in [(9, 1), (17, 3), (30, 7), (60, 12)]:
        word = text[begin : begin + length]
        answer = both(toy_child, form, form.body("x", 48, stop=[word], **fields))
        assert answer.text == text[: text.index(word)]
        assert answer.finish == "stop"


@pytest.mark.parametrize("form", [CHAT, TEXT, NATIVE], ids=lambda form: form.name)
def test_a_stop_word_that_never_comes_takes_nothing_away(toy_child: Gateway, form: Form) -> None:
    fields = SALAD | {"seed": 5}
    text = ask(toy_child.port, form, form.body("x", 48, **fields)).text
    # It begins as the text ends, so its beginning is waited for until the end.
    fields["stop"] = [text[-4:] + "never"]
    answer = ask(toy_child.port, form, form.body("x", 48, **fields))
    assert (answer.text, answer.finish) == (text, "length")
    # llama-server's stream keeps what it waited with; all before that must be there.
    streamed = ask(toy_child.port, form, form.body("x", 48, stream=True, **fields))
    assert text.startswith(streamed.text)
    assert len(streamed.text) >= len(text) - 20


@pytest.mark.parametrize("form", [CHAT, NATIVE, MESSAGES], ids=lambda form: form.name)
def test_an_empty_stop_word_is_refused(toy_child: Gateway, form: Form) -> None:
    name = "stop_sequences" if form is MESSAGES else "stop"
    answer = ask(toy_child.port, form, form.body("x", 4, **{name: [""]}))
    assert answer.status == 400
    assert name in answer.error["message"]
