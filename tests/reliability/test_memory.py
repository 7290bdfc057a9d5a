"""H20: what one request may use is known from the start, and holds when all use it.

More requests than slots, in test_departures.py; prompts beyond the context, in test_long_prompts.py.
"""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from asking import CHAT, TEXT, Answer, ask, encoded, lines
from built import LIMIT_S, PROGRAM
from gateway_process import Gateway
from raw_http import get, post

SLOTS = 4


def promised(gateway: Gateway) -> int:
    return json.loads(get(gateway.port, "/props").body)["default_generation_settings"]["n_ctx"]


@pytest.mark.parametrize("flags", [("-np", str(SLOTS)), ("-np", str(SLOTS), "--kv-unified"), ()])
def test_the_promise_holds_when_all_ask_at_once(toy: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    """llama-server's default is one cache for all slots, promised whole to each of them."""
    with Gateway("-m", toy, "-c", "4096", *flags, "--prefill-drafter", toy, folder=tmp_path) as gateway:
        gateway.wait_ready()
        room = promised(gateway)
        per_line = 19  # tokens, at most
        text = lines(int(room * 0.9) // per_line)
        models = json.loads(get(gateway.port, "/v1/models").body)["data"]
        assert models[0]["meta"]["n_ctx"] == room

        def one(i: int) -> Answer:
            return ask(gateway.port, TEXT, TEXT.body(f"{i} {text}", 8, stream=i % 2 == 0, skim={"mode": "off"}))

        with ThreadPoolExecutor(SLOTS) as pool:
            answers = list(pool.map(one, range(SLOTS)))
        assert [answer.status for answer in answers] == [200] * SLOTS
        assert all(answer.finish == "length" for answer in answers)


def run_limited(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Within 4 GiB of address space."""
    command = ["prlimit", "--as=4294967296", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S)


@pytest.mark.parametrize("size", ["x", "99999999999", "100000000"])
def test_contexts_that_cannot_be_are_refused_at_start(toy: Path, size: str) -> None:
    result = run_limited("serve", "--port", "0", "-m", toy, "-c", size, "-np", "1", "--fit", "off")
    assert result.returncode in (1, 2), result.stderr
    assert result.stderr.splitlines()[-1].startswith(b"skimfill: the target")


def test_an_odd_context_is_what_props_say(toy: Path, tmp_path: Path) -> None:
    """llama-server rounds it up."""
    with Gateway("-m", toy, "-c", "7", "-np", "1", folder=tmp_path) as gateway:
        gateway.wait_ready()
        room = promised(gateway)
        assert room >= 7
        assert ask(gateway.port, TEXT, TEXT.body("a " * (room + 10), 1)).status == 400
        assert ask(gateway.port, TEXT, TEXT.body("a", 1)).status == 200


def test_the_whole_of_the_models_context_is_what_zero_means(toy: Path, tmp_path: Path) -> None:
    with Gateway("-m", toy, "-c", "0", "-np", "1", folder=tmp_path) as gateway:
        gateway.wait_ready()
        assert promised(gateway) == 8192


def test_the_drafter_runs_within_a_limit_of_address_space(toy: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text(lines(100))
    run = run_limited("skim", text, "--question", "Which shelf has row 7?", "--keep", "0.2", "--drafter", toy)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout) < len(lines(100)) / 2


def test_a_prompt_a_hundred_times_too_long_is_one_request(toy_child: Gateway) -> None:
    huge = post(toy_child.port, CHAT.path, encoded(CHAT.body("word " * 200_000, 1, skim={"mode": "off"})))
    assert huge.status == 400
    assert re.search(rb"exceed", huge.body)
    assert ask(toy_child.port, CHAT, CHAT.body("x", 1)).status == 200
