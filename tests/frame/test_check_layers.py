"""scripts/check-layers finds each kind of include that goes against the arrows, and nothing else."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check-layers"


def check(root: pathlib.Path, path: str, header: str) -> subprocess.CompletedProcess[str]:
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(f"// a file\n#include {header}\n", encoding="utf-8")
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("src/core/clock.h", '"model/tokenizer.h"'),
        ("src/signal/lexical.cpp", '"skim/select.h"'),
        ("src/gateway/front.cpp", '"cli/serve_flags.h"'),
        ("src/skim/skimmer.cpp", '"llama.h"'),
        ("src/signal/lexical.cpp", "<ggml-backend.h>"),
        ("src/model/tokenizer.cpp", '"llama-vocab.h"'),
        ("src/skim/rewrite.cpp", "<boost/json.hpp>"),
        ("src/cli/skim.cpp", "<boost/beast/http.hpp>"),
        ("include/skimfill/skimfill.h", "<spdlog/spdlog.h>"),
        ("include/skimfill/skimfill.h", '"core/clock.h"'),
        ("src/attic/old.cpp", "<vector>"),
    ],
)
def test_an_include_against_the_arrows_is_named(tmp_path: pathlib.Path, path: str, header: str) -> None:
    result = check(tmp_path, path, header)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{path}:2: #include {header.strip('<>' + chr(34))}: ")


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("src/skim/skimmer.cpp", '"core/clock.h"'),
        ("src/gateway/serve.cpp", '"skimfill/skimfill.h"'),
        ("src/signal/llama/llama_engine.cpp", '"llama.h"'),
        ("src/cli/skim.cpp", "<boost/json.hpp>"),
        ("include/skimfill/skimfill.h", "<stop_token>"),
    ],
)
def test_an_include_along_the_arrows_passes(tmp_path: pathlib.Path, path: str, header: str) -> None:
    result = check(tmp_path, path, header)
    assert (result.returncode, result.stderr) == (0, "")
