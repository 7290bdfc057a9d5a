"""The real thing: a child llama-server that we start, watch and take down. Its model is a toy, mostly."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from gateway_process import Gateway
from prompts import QUESTION, chat
from raw_http import Connection, get, post, wait_until

CHAT = "/v1/chat/completions"


def test_the_routes_of_llama_server_are_there(with_child: Gateway) -> None:
    assert get(with_child.port, "/health").body == b'{"status":"ok"}'
    assert json.loads(get(with_child.port, "/v1/models").body)["data"]
    assert json.loads(get(with_child.port, "/props").body)["total_slots"] == 2
    tokens = json.loads(post(with_child.port, "/tokenize", b'{"content":"a b c"}').body)["tokens"]
    assert len(tokens) > 1
    assert get(with_child.port, "/no/such/route").status == 404


def test_a_prompt_beyond_the_context_works_when_the_kept_part_fits(toy: Path, tmp_path: Path) -> None:
    arguments = ["-m", toy, "-c", "512", "-np", "1", "--prefill-drafter", toy]
    with Gateway(*arguments, folder=tmp_path) as gateway:
        gateway.wait_ready()
        fields = chat(50, max_tokens=4, temperature=0)

        answer = post(gateway.port, CHAT, json.dumps(fields | {"skim": {"mode": "off"}}).encode())
        error = json.loads(answer.body)["error"]
        assert answer.status == 400
        assert error["n_prompt_tokens"] > error["n_ctx"] == 512

        value = json.loads(post(gateway.port, CHAT, json.dumps(fields).encode()).body)
        assert value["skim"]["decision"] == "skimmed"
        assert value["usage"]["prompt_tokens"] == error["n_prompt_tokens"]

        wish = {"skim": {"mode": "always", "keep_ratio": 0.9}}
        answer = post(gateway.port, CHAT, json.dumps(fields | wish).encode())
        refused = json.loads(answer.body)["error"]
        assert answer.status == 400
        assert refused["n_prompt_tokens"] == error["n_prompt_tokens"]
        assert 512 < refused["n_kept_tokens"] < error["n_prompt_tokens"]


def test_a_child_that_dies_is_started_again(model: Path, tmp_path: Path) -> None:
    with Gateway("-m", model, "-c", "1024", "-np", "1", folder=tmp_path) as gateway:
        gateway.wait_ready()
        [first] = gateway.children()
        body = json.dumps({"messages": [{"role": "user", "content": "Tell a long story."}], "stream": True}).encode()
        with Connection(gateway.port) as connection:
            connection.post(CHAT, body)
            connection.read_head()
            connection.read_chunk()
            os.kill(first, signal.SIGKILL)
            rest = b""
            while data := connection.read_chunk():
                rest += data
            assert connection.is_closed_by_peer()
        assert json.loads(rest[rest.rindex(b"data: ") + 6 :])["error"]["code"] == 502
        wait_until(lambda: gateway.children() not in ([], [first]))
        gateway.wait_ready()
        body = json.dumps({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}).encode()
        assert post(gateway.port, CHAT, body).status == 200


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_after_a_stop(toy: Path, tmp_path: Path, by: signal.Signals) -> None:
    with Gateway("-m", toy, "-c", "1024", "-np", "1", "--drain-seconds", "1", folder=tmp_path) as gateway:
        gateway.wait_ready()
        [child] = gateway.children()
        [folder] = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        with Connection(gateway.port) as connection:
            connection.post(CHAT, b'{"messages":[{"role":"user","content":"Tell a story."}],"stream":true}')
            connection.read_head()
            assert gateway.stop(by) == 0
    assert not Path(f"/proc/{child}").exists()
    assert list(tmp_path.iterdir()) == []


def test_the_child_does_not_outlive_a_killed_gateway(toy: Path, tmp_path: Path) -> None:
    with Gateway("-m", toy, "-c", "512", "-np", "1", folder=tmp_path) as gateway:
        wait_until(lambda: len(gateway.children()) == 1)
        [child] = gateway.children()
        gateway.process.kill()
        gateway.process.wait()
        wait_until(lambda: not Path(f"/proc/{child}").exists())


def test_a_bad_flag_ends_with_the_childs_own_line(toy: Path, tmp_path: Path) -> None:
    gateway = Gateway("-m", toy, "--no-such-flag", folder=tmp_path)
    assert gateway.wait() == 2
    assert "--no-such-flag" in gateway.log.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_requests_wait_politely_for_a_loading_child(toy: Path, tmp_path: Path) -> None:
    with Gateway("-m", toy, "-c", "512", folder=tmp_path) as gateway:
        answer = get(gateway.port, "/health")
        assert answer.status in (200, 503)
        if answer.status == 503:
            assert json.loads(answer.body)["error"]["type"] == "unavailable_error"
        gateway.wait_ready()


def test_a_question_of_its_own(with_child: Gateway) -> None:
    fields = chat(30, max_tokens=1, skim={"mode": "always", "question": QUESTION, "budget": 120, "spans": True})
    fields["messages"][1]["content"] += "\nThank you."
    skim = json.loads(post(with_child.port, CHAT, json.dumps(fields).encode()).body)["skim"]
    assert skim["question"] == QUESTION
    assert skim["kept_tokens"] <= 120
