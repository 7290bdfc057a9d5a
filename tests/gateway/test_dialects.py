"""Each form of API in front of a scripted target: what the target was sent, and what came back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anthropic
import openai
import pytest

from asking import CHATS, FORMS, MESSAGES, NATIVE, RESPONSES, Answer, Form, Json, ask, encoded, events_of
from gateway_process import Front, Gateway
from prompts import QUESTION, document
from raw_http import Connection, post
from scripted import EVENT_STREAM, Received, Script, Scripted, chunk, event, reply
from spoken import ALL, CACHED, GENERATED, OPENAI_USAGE, SENT, TIMINGS, Spoken

Staged = tuple[Gateway, Scripted]

EXACT = 4321  # what the target says that the whole prompt has
MARK = "[...]"
TEXT = f"{document(20)}\n\n{QUESTION}"
ALWAYS = {"mode": "always", "keep_ratio": 0.3}
SETTINGS = {"temperature": 0.25, "x-unknown": [1, "é"]}

in_all_forms = pytest.mark.parametrize("spoken", ALL, ids=str)
in_both_modes = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def counted(request: Received) -> bytes | None:
    if request.path.endswith("/tokenize"):
        return reply(json.dumps({"tokens": list(range(EXACT))}).encode())
    if request.path.endswith(("/input_tokens", "/count_tokens")):
        return reply(json.dumps({"input_tokens": EXACT}).encode())
    return None


@pytest.fixture(scope="module")
def stage(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(lambda _: []))
        arguments = ["--upstream", server.url, "--prefill-drafter", toy]
        yield stack.enter_context(Gateway(*arguments, folder=tmp_path_factory.mktemp("dialects"))), server


@pytest.fixture
def staged(stage: Staged) -> Staged:
    stage[1].received.clear()
    return stage


def speak(server: Scripted, spoken: Spoken) -> None:
    def answer(request: Received) -> Script:
        count = counted(request)
        return [count] if count else spoken.answer(request)

    server.answer = answer


def prompt_of(body: Json) -> str:
    return body.get("prompt") or body.get("input") or body["messages"][0]["content"]


def account_of(spoken: Spoken, answer: Answer) -> Json:
    """The object with times and `skim`."""
    value = answer.value or answer.events[spoken.last].data
    return value["response"] if spoken.form is RESPONSES and answer.events else value


def usage_of(spoken: Spoken, answer: Answer) -> Json:
    account = account_of(spoken, answer)
    if spoken.form is MESSAGES and answer.events:
        return answer.events[0].data["message"]["usage"] | account["usage"]
    return account["usage"]


@in_all_forms
@in_both_modes
def test_the_target_gets_what_the_client_wrote_but_for_the_text(staged: Staged, spoken: Spoken, stream: bool) -> None:
    gateway, server = staged
    speak(server, spoken)
    form = spoken.form
    assert ask(gateway.port, form, form.body(TEXT, 8, stream=stream, **SETTINGS, skim=ALWAYS)).status == 200

    [sent] = server.bodies(form.path)
    kept = prompt_of(json.loads(sent))
    assert MARK in kept and kept.endswith(QUESTION)
    assert len(kept) < len(TEXT) / 2
    assert sent == encoded(form.body(kept, 8, stream=stream, **SETTINGS))

    [counted_body] = server.bodies(spoken.counting)
    if spoken.counting == "/tokenize":
        assert json.loads(counted_body) == {"content": TEXT, "add_special": True, "parse_special": True}
    else:
        assert counted_body == encoded(form.body(TEXT, 8, stream=stream, **SETTINGS))


@in_all_forms
@in_both_modes
def test_counts_and_times_are_in_their_places(staged: Staged, spoken: Spoken, stream: bool) -> None:
    gateway, server = staged
    speak(server, spoken)
    answer = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, stream=stream, skim=ALWAYS))
    account = account_of(spoken, answer)
    skim, timings = account["skim"], account["timings"]
    assert skim["decision"] == "skimmed"
    assert 0 < skim["kept_tokens"] <= 0.3 * skim["tokens"]

    told = spoken.events[spoken.last] if stream else encoded(spoken.whole)
    if not stream and b"timings" not in told:
        assert "prefill_ms" not in timings  # nobody can tell it from the answer's time
    else:
        parts = timings["queue_ms"] + timings["skim_ms"] + timings["prefill_ms"] + timings["other_ms"]
        assert timings["prompt_ms"] == pytest.approx(parts, abs=0.01)
        assert 0 < timings["skim_ms"] < timings["ttft_ms"]
        assert timings["prompt_n"] == SENT - CACHED
    if b"timings" in told:
        assert (timings["prefill_ms"], timings["predicted_ms"]) == (TIMINGS["prompt_ms"], TIMINGS["predicted_ms"])
        assert timings["prompt_per_second"] == pytest.approx(2000)

    if spoken.form is MESSAGES:
        assert usage_of(spoken, answer) == {
            "input_tokens": EXACT - CACHED,
            "cache_read_input_tokens": CACHED,
            "kept_input_tokens": SENT,
            "output_tokens": GENERATED,
        }
    elif spoken.form is not NATIVE:
        way = "input" if spoken.form is RESPONSES else "prompt"
        usage = usage_of(spoken, answer)
        assert (usage[f"{way}_tokens"], usage["total_tokens"]) == (EXACT, EXACT + GENERATED)
        assert usage[f"{way}_tokens_details"] == {"cached_tokens": CACHED, "kept_tokens": SENT}


@in_all_forms
def test_a_stream_is_the_targets_but_for_the_account(staged: Staged, spoken: Spoken) -> None:
    gateway, server = staged
    speak(server, spoken)
    answer = post(gateway.port, spoken.form.path, encoded(spoken.form.body(TEXT, 8, stream=True, skim=ALWAYS)))
    events = [e + b"\n\n" for e in answer.body.split(b"\n\n")[:-1]]
    amended = {len(events) + spoken.last} | ({0} if spoken.form is MESSAGES else set())
    assert len(events) == len(spoken.events)
    assert {i for i, (came, sent) in enumerate(zip(events, spoken.events)) if came != sent} == amended
    for i in amended:
        assert events[i].split(b"data: ")[0] == spoken.events[i].split(b"data: ")[0]


@in_all_forms
def test_a_reply_in_one_piece_is_the_targets_but_for_the_account(staged: Staged, spoken: Spoken) -> None:
    gateway, server = staged
    speak(server, spoken)
    value = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, skim=ALWAYS)).value
    ours = {"skim", "timings", "usage"}
    assert {k: v for k, v in value.items() if k not in ours} == {k: v for k, v in spoken.whole.items() if k not in ours}


@in_all_forms
@in_both_modes
def test_without_a_skim_all_bytes_are_the_targets(staged: Staged, spoken: Spoken, stream: bool) -> None:
    gateway, server = staged
    speak(server, spoken)
    body = spoken.form.body(TEXT, 8, stream=stream, **SETTINGS)
    answer = post(gateway.port, spoken.form.path, encoded(body | {"skim": {"mode": "off"}}))
    assert [r.body for r in server.received] == [encoded(body)]  # and no question for a count
    assert answer.body == (b"".join(spoken.events) if stream else encoded(spoken.whole))


@in_all_forms
def test_progress_is_told_where_it_is_wanted(staged: Staged, spoken: Spoken) -> None:
    gateway, server = staged
    speak(server, spoken)
    body = spoken.form.body(TEXT, 8, stream=True, skim=ALWAYS | {"progress": True})
    answer = ask(gateway.port, spoken.form, body)
    *told, first = answer.events[: -len(spoken.events) + 1]
    stages = [e.data["skim_progress"] for e in told]
    assert [s["stage"] for s in stages] == ["skimmed", "queued"]
    assert 0 < stages[0]["ms"] <= stages[1]["ms"]
    if spoken.form is MESSAGES:
        assert [(e.name, e.data["type"]) for e in told] == [("ping", "ping")] * 2
    elif spoken.form is RESPONSES:
        assert [(e.name, e.data["type"]) for e in told] == [("skim.progress", "skim.progress")] * 2
    else:
        assert [e.data["choices"] for e in told] == [[], []]
    assert "skim_progress" not in first.data
    assert account_of(spoken, answer)["skim"]["decision"] == "skimmed"


def is_error_of(form: Form, value: Json, status: int, kind: str) -> bool:
    error = value["error"]
    if form is MESSAGES:
        return value["type"] == "error" and set(error) == {"type", "message"} and error["type"] == kind
    return set(value) == {"error"} and error["code"] == status


@in_both_modes
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_our_own_errors_have_the_forms_shape(staged: Staged, form: Form, stream: bool) -> None:
    gateway, server = staged
    server.answer = lambda _: [None]
    wrong = ask(gateway.port, form, form.body("hi", stream=stream, temperature="warm"))
    assert wrong.status == 400
    assert is_error_of(form, wrong.value, 400, "invalid_request_error")
    assert "temperature" in wrong.error["message"]
    assert server.received == []

    broken = ask(gateway.port, form, form.body("hi", 8, stream=stream))
    assert broken.status == 502
    assert is_error_of(form, broken.value, 502, "api_error")


def test_a_stream_that_breaks_raises_in_the_clients(front: Front) -> None:
    def answer(request: Received) -> Script:
        events = next(s.events for s in ALL if s.form.path == request.path)
        return [EVENT_STREAM, *(chunk(e) for e in events[:3]), 0.05, None]

    gateway, _ = front(answer)
    home = f"http://127.0.0.1:{gateway.port}"
    ask_openai = openai.OpenAI(base_url=f"{home}/v1", api_key="none", max_retries=0)
    ask_anthropic = anthropic.Anthropic(base_url=home, api_key="none", max_retries=0)
    said = [{"role": "user", "content": "hi"}]
    for stream, failure in (
        (ask_openai.chat.completions.create(model="m", messages=said, stream=True), openai.APIError),
        (ask_openai.completions.create(model="m", prompt="hi", stream=True), openai.APIError),
        (ask_openai.responses.create(model="m", input="hi", stream=True), openai.APIError),
        (ask_anthropic.messages.create(model="m", messages=said, max_tokens=8, stream=True), anthropic.APIStatusError),
    ):
        came = []
        with pytest.raises(failure, match="in the middle of its answer"):
            came.extend(stream)
        assert came


@pytest.mark.parametrize("form", CHATS, ids=lambda form: form.name)
def test_counting_is_of_the_whole_prompt(front: Front, toy: Path, form: Form) -> None:
    ours = ("--prefill-drafter", toy, "--prefill-compression", "always")
    gateway, target = front(lambda r: [counted(r)], *ours)
    path = next(s.counting for s in ALL if s.form is form)
    body = encoded(form.body(TEXT, **SETTINGS))
    assert json.loads(post(gateway.port, path, body).body) == {"input_tokens": EXACT}
    assert [(r.path, r.body) for r in target.received] == [(path, body)]
    wrong = post(gateway.port, path, encoded(form.body(TEXT) | {"tools": 1}))
    assert wrong.status == 400
    assert is_error_of(form, json.loads(wrong.body), 400, "invalid_request_error")
    assert len(target.received) == 1


TOO_LONG = {
    "llama-server": {"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_ctx": 64},
    "openai": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"},
    "vllm": {"code": 400, "message": "This model's maximum context length is 64 tokens.", "type": "BadRequestError"},
}


@in_all_forms
@in_both_modes
@pytest.mark.parametrize("error", TOO_LONG.values(), ids=TOO_LONG)
def test_what_does_not_fit_is_skimmed_after_all(staged: Staged, spoken: Spoken, stream: bool, error: Json) -> None:
    gateway, server = staged
    speak(server, spoken)
    fits = server.answer
    refusal = reply(json.dumps({"error": error}).encode(), "400 Bad Request")
    server.answer = lambda r: [refusal] if r.path == spoken.form.path and len(r.body) > len(TEXT) else fits(r)

    answer = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, stream=stream))  # auto, below the threshold
    assert account_of(spoken, answer)["skim"]["decision"] == "skimmed"
    assert [len(b) > len(TEXT) for b in server.bodies(spoken.form.path)] == [True, False]

    # Not where the client wants none, nor where it is told what is left and that does not fit either.
    answer = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, stream=stream, skim={"mode": "off"}))
    assert (answer.status, answer.error) == (400, error)
    server.answer = lambda r: [refusal] if r.path == spoken.form.path else fits(r)
    answer = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, stream=stream, skim=ALWAYS))
    assert answer.status == 400
    assert (answer.error["n_prompt_tokens"], answer.value["skim"]["decision"]) == (EXACT, "skimmed")


def test_a_usage_without_cached_tokens_gets_the_details(staged: Staged) -> None:
    gateway, server = staged
    spoken = ALL[0]
    usage = {k: v for k, v in OPENAI_USAGE.items() if k != "prompt_tokens_details"}
    server.answer = lambda r: [counted(r) or reply(json.dumps(spoken.whole | {"usage": usage}).encode())]
    answer = ask(gateway.port, spoken.form, spoken.form.body(TEXT, 8, skim=ALWAYS))
    assert answer.value["usage"]["prompt_tokens_details"] == {"cached_tokens": 0, "kept_tokens": SENT}
