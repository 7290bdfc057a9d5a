"""The comparison of our probe rows with a plain llama.cpp run, on architectures that the small model does not have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_gguf import Shape, make_gguf  # noqa: E402

CACHE = Path(os.environ.get("SKIMFILL_CACHE") or Path.home() / ".cache" / "skimfill")
MODEL = Path(os.environ.get("SKIMFILL_TEST_MODEL") or CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")
BUILD = Path(os.environ.get("SKIMFILL_BUILD") or ROOT / "build" / "release")


@pytest.mark.parametrize("arch", ["qwen3", "gemma3", "lfm2"])
def test_probe_rows_equal_a_plain_run(tmp_path: Path, arch: str) -> None:
    toy = make_gguf(MODEL, Shape(arch), tmp_path / "toy.gguf")
    command = [BUILD / "tests" / "probe_context_test"]
    run = subprocess.run(command, capture_output=True, env=os.environ | {"SKIMFILL_TEST_MODEL": str(toy)}, timeout=300)
    assert run.returncode == 0, run.stdout.decode()
    assert b"[  PASSED  ] 4 tests." in run.stdout
