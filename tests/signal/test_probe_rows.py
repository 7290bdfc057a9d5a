"""The comparison of our probe rows with a plain llama.cpp run, on architectures that the small model does not have."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from built import BUILD, LIMIT_S, MODEL
from make_gguf import Shape, make_gguf


@pytest.mark.parametrize("arch", ["qwen3", "gemma3", "lfm2"])
def test_probe_rows_equal_a_plain_run(tmp_path: Path, arch: str) -> None:
    toy = make_gguf(MODEL, Shape(arch), tmp_path / "toy.gguf")
    command = [BUILD / "tests" / "probe_context_test"]
    environment = os.environ | {"SKIMFILL_TEST_MODEL": str(toy)}
    run = subprocess.run(command, capture_output=True, env=environment, timeout=LIMIT_S)
    assert run.returncode == 0, run.stdout.decode()
    assert b"[  PASSED  ] 4 tests." in run.stdout
