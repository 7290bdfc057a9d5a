"""Where the tests find what was built and the small models."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("SKIMFILL_CACHE") or Path.home() / ".cache" / "skimfill")
BUILD = ROOT / "build" / "release"
PROGRAM = Path(os.environ.get("SKIMFILL_PROGRAM") or BUILD / "bin" / "skimfill")
LLAMA_SERVER = PROGRAM.parents[1] / "lib" / "skimfill" / "llama-server"
MODEL = Path(os.environ.get("SKIMFILL_TEST_MODEL") or CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")
EMBEDDER = Path(os.environ.get("SKIMFILL_TEST_EMBEDDER") or CACHE / "models" / "all-MiniLM-L6-v2.F16.gguf")
EMBEDDER_SOURCE = CACHE / "models" / "all-MiniLM-L6-v2"  # what it was made of
LIMIT_S = 300  # only against a hang; the machine may be slow and busy
