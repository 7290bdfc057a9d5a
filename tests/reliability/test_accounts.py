"""H17: the numbers add up to what the client waited, and count what the client sent.

For one skimmed answer of the small model in tests/gateway/test_child.py, and for given times of a target in
test_skim.py.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from pathlib import Path

import pytest

from asking import CHAT, CHATS, FORMS, MESSAGES, NATIVE, RESPONSES, Answer, Form, Json, answer_of, ask, encoded, lines
from gateway_process import Gateway
from raw_http import get, post

QUESTION = "Which shelf has row 7?"
WISH = {"mode": "always", "keep_ratio": 0.2}


def account(form: Form, answer: Answer) -> Json:
    """The object that carries times and `skim`."""
    if answer.value:
        return answer.value
    values = [event.data for event in answer.events if isinstance(event.data, dict)]
    if form is RESPONSES:
        return next(v["response"] for v in values if v["type"] == "response.completed")
    if form is MESSAGES:
        return next(v for v in values if v["type"] == "message_delta")
    return values[-1]


def usage(form: Form, answer: Answer) -> Json:
    if form is MESSAGES and answer.events:
        start = next(e.data["message"] for e in answer.events if e.data["type"] == "message_start")
        return start["usage"] | account(form, answer)["usage"]
    return account(form, answer)["usage"]


def sent_and_cached(form: Form, numbers: Json) -> tuple[int, int]:
    if form is MESSAGES:
        cached = numbers.get("cache_read_input_tokens", 0)
        return numbers["input_tokens"] + cached, cached
    name = "input" if form is RESPONSES else "prompt"
    return numbers[f"{name}_tokens"], numbers[f"{name}_tokens_details"]["cached_tokens"]


def timed(port: int, form: Form, body: Json) -> tuple[Answer, float]:
    start = time.monotonic()
    reply = post(port, form.path, encoded(body))
    wall_ms = (time.monotonic() - start) * 1000
    return answer_of(form, reply), wall_ms


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_parts_are_what_the_client_waited(toy_child: Gateway, form: Form, stream: bool) -> None:
    body = form.body(lines(150) + QUESTION, 40, temperature=0, ignore_eos=True, stream=stream, skim=WISH)
    answer, wall_ms = timed(toy_child.port, form, body)
    assert answer.status == 200, answer.body
    times = account(form, answer)["timings"]
    assert account(form, answer)["skim"]["decision"] == "skimmed"
    parts = times["queue_ms"] + times["skim_ms"] + times["prefill_ms"] + times["other_ms"]
    assert times["prompt_ms"] == pytest.approx(parts, abs=0.01)
    assert min(times[name] for name in ("queue_ms", "skim_ms", "prefill_ms", "other_ms", "predicted_ms")) >= 0
    assert times["prompt_ms"] + times["predicted_ms"] == pytest.approx(wall_ms, rel=0.02, abs=100)
    assert times["ttft_ms"] <= wall_ms
    assert times["prompt_per_second"] == pytest.approx(1000 * times["prompt_n"] / times["prefill_ms"], rel=0.01)


@pytest.mark.parametrize("form", CHATS, ids=lambda form: form.name)
def test_counts_are_of_what_was_sent_cold_and_warm(toy_child: Gateway, form: Form) -> None:
    text = f"({form.name}) {lines(150)}{QUESTION}"
    path = form.path + ("/count_tokens" if form is MESSAGES else "/input_tokens")
    for version in (text, text, text.replace("shelf 17", "shelf 99", 1)):
        exact = json.loads(post(toy_child.port, path, encoded(form.body(version))).body)["input_tokens"]
        for stream in (False, True):
            options = {"stream_options": {"include_usage": True}} if form is CHAT and stream else {}
            answer = ask(toy_child.port, form, form.body(version, 4, stream=stream, skim=WISH, **options))
            sent, cached = sent_and_cached(form, usage(form, answer))
            assert sent == exact
            assert 0 <= cached < exact / 2  # no more than was kept


def test_usage_comes_where_clients_look_for_it(toy_child: Gateway) -> None:
    for text in ("x", lines(100) + QUESTION):
        body = CHAT.body(text, 4, stream=True, stream_options={"include_usage": True}, skim=WISH)
        answer = ask(toy_child.port, CHAT, body)
        values = [event.data for event in answer.events[:-1]]
        assert values[-1]["choices"] == []
        assert values[-1]["usage"]["completion_tokens"] == 4
        assert all(value.get("usage") is None for value in values[:-1])
        assert answer.events[-1].data == "[DONE]"


SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})? (\S+)")


def samples(page: str) -> tuple[dict[str, float], dict[str, str]]:
    """Each series with its value, and each name's type; fails on what a scraper would refuse."""
    values: dict[str, float] = {}
    types: dict[str, str] = {}
    for line in page.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types, f"{name} is declared twice"
            types[name] = kind
        elif line and not line.startswith("#"):
            found = SAMPLE.fullmatch(line)
            assert found, line
            name, labels, value = found.groups()
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            assert name in types or base in types, f"{name} has no type"
            assert name + (labels or "") not in values, line
            values[name + (labels or "")] = float(value)
            assert math.isfinite(values[name + (labels or "")]), line
    return values, types


def counters(page: str) -> dict[str, float]:
    values, types = samples(page)
    return {series: value for series, value in values.items() if types.get(series.partition("{")[0]) == "counter"}


def test_metrics_are_numbers_that_never_fall(toy: Path, tmp_path: Path) -> None:
    arguments = ["-m", toy, "-c", "4096", "-np", "1", "--metrics", "--prefill-drafter", toy]
    with Gateway(*arguments, folder=tmp_path) as gateway:
        gateway.wait_ready()
        pages = [get(gateway.port, "/metrics").body.decode()]
        done = threading.Event()

        def watch() -> None:
            while not done.is_set():
                pages.append(get(gateway.port, "/metrics").body.decode())

        watcher = threading.Thread(target=watch)
        watcher.start()
        for form in FORMS:
            for wish in (WISH, {"mode": "off"}):
                body = form.body(lines(60) + QUESTION, 20, ignore_eos=True, skim=wish)
                assert ask(gateway.port, form, body).status == 200
        assert ask(gateway.port, CHAT, {}).status == 400
        done.set()
        watcher.join()
        pages.append(get(gateway.port, "/metrics").body.decode())
    assert len(pages) > 3
    for earlier, later in zip(map(counters, pages), map(counters, pages[1:])):
        assert all(later[series] >= value for series, value in earlier.items())
    last, _ = samples(pages[-1])
    assert last['skimfill_prompts_total{decision="skimmed"}'] == len(FORMS)
    assert last["skimfill_requests_inside"] == 0
    assert last["llamacpp:tokens_predicted_total"] == 20 * 2 * len(FORMS)


def test_rates_count_what_was_worked_on(toy_child: Gateway) -> None:
    """A prompt from the cache is not counted as read."""
    body = NATIVE.body(lines(120), 2, temperature=0, skim={"mode": "off"})
    ask(toy_child.port, NATIVE, body)
    times = ask(toy_child.port, NATIVE, body).value["timings"]
    assert times["cache_n"] > 100 * times["prompt_n"]
