"""`skimfill serve` passes llama.cpp's own server tests: the ones of subset.txt, which cover each route and dialect.

scripts/llama-server-suite runs them all, in about 20 minutes; docs/reliability.md has the counts.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from built import MODEL, PROGRAM, ROOT

SUBSET = Path(__file__).with_name("subset.txt")


@pytest.fixture(scope="session")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    results = tmp_path_factory.mktemp("llama_server") / "outcomes.json"
    suite = ROOT / "scripts" / "llama-server-suite"
    command = [suite, "run", "--skimfill", PROGRAM, "--model", MODEL, "--subset", SUBSET, "--json", results]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    outcomes = json.loads(results.read_text())
    if any(outcome != "passed" for outcome in outcomes.values()):
        print(results.with_suffix(".log").read_text())
    return outcomes


@pytest.mark.parametrize("test", SUBSET.read_text().splitlines())
def test_passes(outcomes: dict[str, str], test: str) -> None:
    assert outcomes.get(test, "not found in the suite") == "passed"
