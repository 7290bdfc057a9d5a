"""The built program, the small model, and documents that hold one answer each."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from built import LIMIT_S, MODEL, PROGRAM
from program import Run
from prompts import document


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """What every run gets: the model, and nothing of the caller's own settings."""
    assert PROGRAM.exists(), f"{PROGRAM} is not built"
    assert MODEL.exists(), f"{MODEL} is missing; scripts/fetch-models fetches it"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LLAMA_ARG_", "LLAMA_API_", "SKIMFILL_"))}
    return kept | {"SKIMFILL_DRAFTER": str(MODEL), "TERM": "xterm"}


@pytest.fixture(scope="session")
def skimfill(environment: dict[str, str]) -> Run:
    def run(*arguments: str | Path, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(PROGRAM), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=LIMIT_S,
            env=environment | variables,
        )

    return run


@pytest.fixture(scope="session")
def utf8_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("utf8") / "diary.txt"
    path.write_text(document(40), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def broken_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Latin-1 letters, a lone surrogate, a NUL, an overlong slash: bytes that are no UTF-8."""
    path = tmp_path_factory.mktemp("broken") / "diary.bin"
    text = document(30).encode("utf-8")
    junk = "Die T\u00fcr f\u00e4llt zu.\n".encode("latin-1") + b"x \xed\xa0\x80 y \x00 z \xc0\xaf \xf0\x9f\x98\n"
    path.write_bytes(junk + text + junk + b"\xe6")
    return path
