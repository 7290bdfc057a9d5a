"""Drafters of other architectures, and drafters whose weights are broken: random weights, so nothing about quality."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import gguf
import numpy as np
import pytest

from built import MODEL
from make_gguf import Shape, make_gguf
from program import Run
from prompts import QUESTION, document


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "diary.txt"
    path.write_text(document(150), encoding="utf-8")
    return path


def skim(skimfill: Run, drafter: Path, path: Path, *flags: str) -> dict:
    arguments = ("--question", QUESTION, "--keep", "0.2", "--format", "json", "--drafter", drafter)
    result = skimfill("skim", path, *arguments, *flags)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# How many of four layers show attention within two thirds of the depth, and the last of them.
@pytest.mark.parametrize(
    ("arch", "n_attention", "last"), [("llama", 3, 3), ("qwen3", 3, 3), ("gemma3", 3, 3), ("lfm2", 1, 2)]
)
def test_any_architecture_with_attention(
    skimfill: Run, long_file: Path, tmp_path: Path, arch: str, n_attention: int, last: int
) -> None:
    drafter = make_gguf(MODEL, Shape(arch), tmp_path / "toy.gguf")
    # Segments longer than gemma3's window, several side by side; lfm2's state cannot drop a probe again.
    report = skim(skimfill, drafter, long_file, "--segment", "256")
    assert report["decision"] == "skimmed", report["reason"]
    assert f"{n_attention} attention layers up to {last} of 4" in report["path"]
    assert 0 < report["kept_tokens"] <= 0.2 * report["tokens"]
    again = skim(skimfill, drafter, long_file, "--segment", "256")
    assert again["spans"] == report["spans"]


def with_norms(drafter: Path, out: Path, pattern: str, value: float) -> Path:
    """A copy whose norm weights that match `pattern` all have one value."""
    shutil.copy(drafter, out)
    n_changed = 0
    for tensor in gguf.GGUFReader(out, "r+").tensors:
        if re.fullmatch(pattern, tensor.name):
            tensor.data[:] = np.float32(value)
            tensor.data.flush()
            n_changed += 1
    assert n_changed > 0
    return out


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_send_the_whole_text(
    skimfill: Run, utf8_file: Path, tmp_path: Path, value: float
) -> None:
    drafter = with_norms(MODEL, tmp_path / "broken.gguf", r"blk\.3\.attn_norm\.weight", value)
    report = skim(skimfill, drafter, utf8_file)
    assert report["decision"] == "whole"
    assert "not finite" in report["reason"]
    assert report["kept_tokens"] == report["tokens"]
    assert report["spans"] == []


def test_attention_that_is_flat_sends_the_whole_text(skimfill: Run, utf8_file: Path, tmp_path: Path) -> None:
    drafter = with_norms(MODEL, tmp_path / "flat.gguf", r"blk\.\d+\.attn_norm\.weight", 0.0)
    report = skim(skimfill, drafter, utf8_file)
    assert report["decision"] == "whole"
    assert "flat" in report["reason"]
