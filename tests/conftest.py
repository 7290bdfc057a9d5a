"""The models that tests everywhere use."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import MODEL
from make_gguf import Shape, make_gguf


@pytest.fixture(scope="session")
def model() -> Path:
    assert MODEL.exists(), f"{MODEL} is missing; scripts/fetch-models fetches it"
    return MODEL


@pytest.fixture(scope="session")
def toy(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights and a real tokenizer: hundreds of times faster than the small model, and its answers are noise."""
    shape = Shape("llama", n_layer=2, n_embd=128, n_ctx=8192)  # heads of 32, which a quantised cache needs
    return make_gguf(model, shape, tmp_path_factory.mktemp("toy") / "toy.gguf")
