"""The command line with which people ran the system that this one replaces, with other paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway_process import Gateway
from prompts import chat
from raw_http import post

SPECULATIVE = ["--draft-block-size", "4", "--draft"]


@pytest.mark.parametrize("speculative", [False, True])
def test_it_serves(toy: Path, tmp_path: Path, speculative: bool) -> None:
    arguments = ["-m", toy, "--prefill-compression", "always", "--prefill-drafter", toy]
    arguments += ["--max-ctx", "4096", "-ctk", "q8_0", "-ctv", "q8_0", "--prefill-keep-ratio", "0.2"]
    if speculative:
        arguments += [*SPECULATIVE, toy]
    with Gateway(*arguments, folder=tmp_path) as gateway:
        gateway.wait_ready()
        child = Path(f"/proc/{gateway.children()[0]}/cmdline").read_text().split("\0")
        reply = post(gateway.port, "/v1/chat/completions", json.dumps(chat(40, max_tokens=8, temperature=0)).encode())
    assert reply.status == 200, reply.body
    body = json.loads(reply.body)
    assert body["choices"][0]["message"]["content"]
    assert body["skim"]["decision"] == "skimmed"
    assert body["skim"]["kept_tokens"] <= 0.2 * body["skim"]["tokens"]
    assert body["usage"]["prompt_tokens"] > body["usage"]["prompt_tokens_details"]["kept_tokens"]
    # The child got what was meant for it, and nothing of ours.
    assert child[child.index("-c") + 1] == "4096"
    assert child[child.index("-ctv") + 1] == "q8_0"
    assert not any("prefill" in argument or "ctx" in argument for argument in child)
