"""What the tests of the program share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("SKIMFILL_CACHE") or Path.home() / ".cache" / "skimfill")
PROGRAM = Path(os.environ.get("SKIMFILL_PROGRAM") or ROOT / "build" / "release" / "bin" / "skimfill")
MODEL = Path(os.environ.get("SKIMFILL_TEST_MODEL") or CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")

QUESTION = "What is the code of the north gate?"
NEEDLE = "The code of the north gate is 7391, as the caretaker wrote down.\n"
LIMIT_S = 300  # only against a hang; the machine may be slow and busy

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


def document(lines: int) -> str:
    """About 18 tokens a line, with the answer two thirds down."""
    places = ["café", "Straße", "naïve garden", "東京 office", "harbour"]
    text = [f"On day {i} the {places[i % 5]} was open until {i % 12 + 1} o'clock and quiet.\n" for i in range(lines)]
    text.insert(lines * 2 // 3, NEEDLE)
    return "".join(text)
