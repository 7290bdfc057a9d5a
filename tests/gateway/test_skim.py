"""Requests that go through the skim, in front of a scripted target that says what it was sent.

The drafter is a toy: which lines are kept is another test's point.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gateway_process import Gateway
from prompts import QUESTION, chat, document
from raw_http import Connection, get, post, wait_until
from scripted import DONE, EVENT_STREAM, LAST_CHUNK, Received, Script, Scripted, chunk, delta, event, reply

CHAT = "/v1/chat/completions"
MARK = "[...]"
LONG = 40_000  # lines: half a minute of scoring, even by a toy
EXACT = 4321  # what the target says that the whole prompt has
USAGE = {"prompt_tokens": 90, "completion_tokens": 2, "total_tokens": 92}
TIMINGS = {"cache_n": 10, "prompt_n": 80, "prompt_ms": 40.0, "predicted_n": 2, "predicted_ms": 20.0}


def counts(request: Received) -> bytes | None:
    if request.path.endswith("/input_tokens"):
        return reply(json.dumps({"input_tokens": EXACT}).encode())
    if request.path.endswith("/tokenize"):
        return reply(json.dumps({"tokens": list(range(EXACT))}).encode())
    return None


def whole_reply(**members: object) -> bytes:
    message = {"role": "assistant", "content": "7391"}
    return reply(json.dumps({"choices": [{"index": 0, "message": message}], **members}).encode())


class Target:
    """One gateway with a drafter for all tests here: loading it takes a while. The script changes."""

    def __init__(self) -> None:
        self.script: Callable[[Received], Script] = lambda _: []
        self.counts = True

    def answer(self, request: Received) -> Script:
        counted = counts(request)
        if counted:
            return [counted if self.counts else reply(b"{}", "404 Not Found")]
        return self.script(request)


Served = tuple[Gateway, Scripted, Target]


@pytest.fixture(scope="module")
def skimming(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    target = Target()
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(target.answer))
        arguments = ["--upstream", server.url, "--prefill-drafter", toy, "--prefill-keep-ratio", "0.3"]
        gateway = stack.enter_context(Gateway(*arguments, folder=tmp_path_factory.mktemp("skimming")))
        yield gateway, server, target


@pytest.fixture
def served(skimming: Served) -> Served:
    skimming[1].received.clear()
    skimming[1].closed_early.clear()
    skimming[2].counts = True
    return skimming


def body_of(fields: dict[str, object]) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def parts_sum(timings: dict[str, float]) -> float:
    return timings["queue_ms"] + timings["skim_ms"] + timings["prefill_ms"] + timings["other_ms"]


def test_a_chat_is_skimmed_and_accounted_for(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda _: [0.06, whole_reply(usage=USAGE, timings=TIMINGS)]
    sent = body_of(chat(30, temperature=0.70, skim={"mode": "always", "spans": True}))
    start = time.monotonic()
    answer = post(gateway.port, CHAT, sent)
    wall_ms = (time.monotonic() - start) * 1000
    assert answer.status == 200

    [received] = server.bodies(CHAT)
    assert b'"skim"' not in received
    forwarded = json.loads(received)["messages"]
    assert forwarded[0]["content"] == "Answer in one short sentence."
    kept = forwarded[1]["content"]
    assert kept.endswith(QUESTION)
    assert len(kept) < len(document(30)) / 2
    [counted] = server.bodies(CHAT + "/input_tokens")
    assert json.loads(counted)["messages"][1]["content"] == f"{document(30)}\n\n{QUESTION}"

    value = json.loads(answer.body)
    skim = value["skim"]
    assert skim["decision"] == "skimmed"
    assert 0 < skim["kept_tokens"] <= 0.3 * skim["tokens"] + 1
    assert all(s["message"] == 1 for s in skim["spans"])
    text = f"{document(30)}\n\n{QUESTION}".encode()
    lines = [text[s["begin"] : s["end"]].decode() for s in skim["spans"]]
    assert kept.removesuffix(QUESTION).replace(MARK, "").split() == "".join(lines).removesuffix(QUESTION).split()
    assert value["usage"] == {
        "prompt_tokens": EXACT,
        "completion_tokens": 2,
        "total_tokens": EXACT + 2,
        "prompt_tokens_details": {"cached_tokens": 0, "kept_tokens": 90},
    }
    timings = value["timings"]
    assert (timings["cache_n"], timings["predicted_ms"], timings["prefill_ms"]) == (10, 20.0, 40.0)
    assert timings["prompt_ms"] == pytest.approx(parts_sum(timings), abs=0.01)
    assert timings["prompt_per_second"] == pytest.approx(2000)
    assert timings["skim_ms"] > 0
    assert timings["prompt_ms"] + timings["predicted_ms"] == pytest.approx(wall_ms, rel=0.02, abs=20)


def test_a_stream_is_untouched_but_for_its_last_event(served: Served) -> None:
    gateway, server, target = served
    texts = [event(delta("73")), b":\n\n", event(delta("91 é"))]
    stop = event(delta("", "stop"))
    last = {"id": "c1", "choices": [], "usage": USAGE, "timings": TIMINGS}
    stream = b"".join(texts) + stop + event(last) + DONE
    target.script = lambda _: [EVENT_STREAM, *(chunk(stream[i : i + 5]) for i in range(0, len(stream), 5)), LAST_CHUNK]
    answer = post(gateway.port, CHAT, body_of(chat(20, stream=True, skim={"mode": "always"})))
    assert answer.complete
    start = b"".join(texts) + stop
    assert answer.body.startswith(start)
    assert answer.body.endswith(b"\n\n" + DONE)
    value = json.loads(answer.body.removeprefix(start).removesuffix(DONE).removeprefix(b"data: "))
    assert value["skim"]["decision"] == "skimmed"
    assert "spans" not in value["skim"]
    assert value["usage"]["prompt_tokens"] == EXACT
    assert value["usage"]["prompt_tokens_details"]["kept_tokens"] == 90
    timings = value["timings"]
    assert timings["prompt_ms"] == pytest.approx(parts_sum(timings), abs=0.01)
    assert timings["skim_ms"] < timings["ttft_ms"]


def test_no_usage_is_added_to_a_stream_that_has_none(served: Served) -> None:
    gateway, _, target = served
    target.script = lambda _: [EVENT_STREAM, chunk(event(delta("a")) + event(delta("", "stop")) + DONE), LAST_CHUNK]
    answer = post(gateway.port, CHAT, body_of(chat(20, stream=True, skim={"mode": "always"})))
    value = json.loads(answer.body.split(b"data: ")[2])
    assert value["choices"][0]["finish_reason"] == "stop"
    assert "usage" not in value
    assert value["timings"]["prefill_ms"] >= 0  # by our own clock, as this target gives no times


def test_text_events_are_not_held_back(served: Served) -> None:
    gateway, _, target = served
    target.script = lambda _: [EVENT_STREAM, chunk(event(delta("a"))), 600.0]
    with Connection(gateway.port) as connection:
        connection.post(CHAT, body_of(chat(20, stream=True, skim={"mode": "always"})))
        connection.read_head()
        while (data := connection.read_chunk()).startswith(b":"):
            pass
        assert data == event(delta("a"))  # or the test hangs


def test_a_completion_is_skimmed_too(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda _: [reply(b'{"content":"7391","stop":true,"tokens_evaluated":90}')]
    body = {"prompt": f"{document(20)}\n\n{QUESTION}", "n_predict": 4, "skim": {"mode": "always"}}
    answer = post(gateway.port, "/completion", body_of(body))
    assert json.loads(answer.body)["skim"]["decision"] == "skimmed"
    [received] = server.bodies("/completion")
    kept = json.loads(received)["prompt"]
    assert MARK in kept and kept.endswith(QUESTION)
    assert len(kept) < len(body["prompt"]) / 2
    [counted] = server.bodies("/tokenize")
    assert json.loads(counted)["content"] == body["prompt"]


def test_a_short_prompt_goes_whole_byte_for_byte(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda _: [whole_reply(usage=USAGE, timings=TIMINGS)]
    body = b'{ "messages" :[{"content":"hi","role":"user"}] ,"temperature":0.70 }'
    value = json.loads(post(gateway.port, CHAT, body).body)  # auto, as a drafter is loaded
    assert server.bodies(CHAT) == [body]
    assert value["skim"]["decision"] == "whole"
    assert value["skim"]["reason"]
    assert value["usage"]["prompt_tokens"] == 90


def test_keep_everything_is_byte_for_byte(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda _: [whole_reply()]
    plain = body_of(chat(20))
    skim = b'{"skim":{"mode":"always","keep_ratio":1},'
    post(gateway.port, CHAT, skim + plain[1:])
    assert server.bodies(CHAT) == [plain]


def test_without_an_exact_count_it_is_estimated(served: Served) -> None:
    gateway, _, target = served
    target.counts = False
    target.script = lambda _: [whole_reply(usage=USAGE)]
    value = json.loads(post(gateway.port, CHAT, body_of(chat(20, skim={"mode": "always"}))).body)
    details = value["usage"]["prompt_tokens_details"]
    assert details["estimated"] is True
    assert value["usage"]["prompt_tokens"] > details["kept_tokens"] == 90


CONTEXT_ERROR = {
    "error": {
        "code": 400,
        "message": "request (90 tokens) exceeds the available context size (64 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 90,
        "n_ctx": 64,
    }
}


def test_a_kept_part_that_does_not_fit_is_400_with_the_numbers(served: Served) -> None:
    gateway, _, target = served
    target.script = lambda _: [reply(json.dumps(CONTEXT_ERROR).encode(), "400 Bad Request")]
    answer = post(gateway.port, CHAT, body_of(chat(20, skim={"mode": "always"})))
    assert answer.status == 400
    error = json.loads(answer.body)["error"]
    assert (error["n_prompt_tokens"], error["n_kept_tokens"], error["n_ctx"]) == (EXACT, 90, 64)
    assert str(EXACT) in error["message"] and "64" in error["message"]


def test_a_prompt_that_does_not_fit_whole_is_skimmed_after_all(served: Served) -> None:
    gateway, server, target = served

    def script(request: Received) -> Script:
        if len(request.body) > 1500:
            return [reply(json.dumps(CONTEXT_ERROR).encode(), "400 Bad Request")]
        return [whole_reply(usage=USAGE)]

    target.script = script
    answer = post(gateway.port, CHAT, body_of(chat(30)))  # auto, below the threshold
    assert answer.status == 200, answer.body
    assert json.loads(answer.body)["skim"]["decision"] == "skimmed"
    assert len(server.bodies(CHAT)) == 2


def test_errors_of_the_target_come_with_their_status(served: Served) -> None:
    gateway, _, target = served
    error = b'{"error": {"message":"no such model","code":404}}'
    for stream in (False, True):
        target.script = lambda _: [reply(error, "404 Not Found")]
        answer = post(gateway.port, CHAT, body_of(chat(1, stream=stream)))
        assert (answer.status, answer.body) == (404, error)
        target.script = lambda _: [reply(b"<h1>busy</h1>", "503 Service Unavailable", "text/html")]
        assert post(gateway.port, CHAT, body_of(chat(1, stream=stream))).status == 503
        target.script = lambda _: [None]
        assert post(gateway.port, CHAT, body_of(chat(1, stream=stream))).status == 502


@pytest.mark.parametrize("ending", [[None], [LAST_CHUNK]])
@pytest.mark.parametrize("start", [b"", event(delta("a")) + event(delta("b"))])
def test_a_stream_cut_short_ends_with_an_error_event(
    served: Served, start: bytes, ending: list
) -> None:
    gateway, _, target = served
    pieces = [chunk(start), 0.1] if start else []
    target.script = lambda _: [EVENT_STREAM, *pieces, *ending]
    with Connection(gateway.port) as connection:
        connection.post(CHAT, body_of(chat(1, stream=True)))
        answer = connection.read_reply()
        assert connection.is_closed_by_peer()
    assert answer.body.startswith(start)
    assert "error" in json.loads(answer.body.removeprefix(start).removeprefix(b"data: "))


def test_silence_is_filled_with_headers_and_comments(served: Served) -> None:
    gateway, _, target = served
    pause = 9.0  # headers after 2 s, a comment 5 s later
    target.script = lambda _: [pause, EVENT_STREAM, chunk(event(delta("a")) + event(delta("", "stop")) + DONE), LAST_CHUNK]
    with Connection(gateway.port) as connection:
        connection.post(CHAT, body_of(chat(1, stream=True)))
        head = connection.read_head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        assert connection.read_chunk() == b":\n\n"
        events = b""
        while data := connection.read_chunk():
            events += data
    assert events.removeprefix(b":\n\n").startswith(event(delta("a")))
    assert events.endswith(DONE)


def test_an_error_after_the_headers_is_an_event(served: Served) -> None:
    gateway, _, target = served
    target.script = lambda _: [4.0, reply(b'{"error":{"code":404,"message":"gone"}}', "404 Not Found")]
    answer = post(gateway.port, CHAT, body_of(chat(1, stream=True)))
    assert answer.status == 200
    assert answer.body == b'data: {"error":{"code":404,"message":"gone"}}\n\n'


def test_a_client_that_leaves_frees_the_drafter(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda _: [whole_reply()]
    with Connection(gateway.port) as leaving:
        leaving.post(CHAT, body_of(chat(LONG, skim={"mode": "always"})))
        wait_until(lambda: server.bodies(CHAT + "/input_tokens"))
    answer = post(gateway.port, CHAT, body_of(chat(20, skim={"mode": "always"})))
    value = json.loads(answer.body)
    assert value["skim"]["decision"] == "skimmed"
    assert len(server.bodies(CHAT)) == 1  # the other never reached the target


def test_health_answers_while_a_skim_runs(served: Served) -> None:
    gateway, server, target = served
    target.script = lambda r: [reply(b'{"status":"ok"}')]
    with Connection(gateway.port) as busy:
        busy.post(CHAT, body_of(chat(LONG, skim={"mode": "always"})))
        wait_until(lambda: server.bodies(CHAT + "/input_tokens"))
        assert get(gateway.port, "/health").body == b'{"status":"ok"}'
        assert server.bodies(CHAT) == []


def test_the_log_tells_the_outcome_and_no_text(served: Served) -> None:
    gateway, _, target = served
    target.script = lambda _: [whole_reply(usage=USAGE, timings=TIMINGS)]
    before = len(gateway.log)
    post(gateway.port, CHAT, body_of(chat(20, skim={"mode": "always"})), "Authorization: Bearer sekret\r\n")
    wait_until(lambda: "chat skimmed: " in gateway.log[before:])
    assert "7391" not in gateway.log
    assert "sekret" not in gateway.log


@pytest.mark.parametrize(
    ("skim", "field"),
    [("true", "skim"), ('{"mode":"on"}', "skim.mode"), ('{"keep_ratio":2}', "skim.keep_ratio"), ('{"kep":1}', "skim.kep")],
)
def test_wrong_wishes_are_named(served: Served, skim: str, field: str) -> None:
    gateway, server, _ = served
    answer = post(gateway.port, CHAT, f'{{"messages":[{{"role":"user","content":"x"}}],"skim":{skim}}}'.encode())
    assert answer.status == 400
    assert field in json.loads(answer.body)["error"]["message"]
    assert server.received == []
