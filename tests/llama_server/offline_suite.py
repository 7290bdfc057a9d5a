"""A pytest plugin for llama.cpp's server tests: one local model stands in for those that they download.

scripts/llama-server-suite loads it with -p. Nothing of the suite is edited: each test gets a cache folder in which the
repositories that the suite names hold the stand-in, so every server is started with the flags that the suite gives it.
Environment: SUITE_MODEL, the stand-in, which must be a copy in the file system of pytest's temporary folders;
SUITE_RESULTS, where the JSON of outcomes goes.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
import utils  # the suite's own

MODEL = Path(os.environ["SUITE_MODEL"])
COMMIT = "0" * 40

# The repositories and files of ServerPreset and of test_router. Those of tests marked slow (7B models) stay absent, as
# do LoRA adapters, projectors and images: these tests fail with every server.
STAND_INS = (
    "ggml-org/models/tinyllamas/stories260K.gguf",
    "ggml-org/models/bert-bge-small/ggml-model-f16.gguf",
    "ggml-org/models/jina-reranker-v1-tiny-en/ggml-model-f16.gguf",
    "ggml-org/stories15M_MOE/stories15M_MOE-F16.gguf",
    "ggml-org/test-model-stories260K/stories260K-F32.gguf",
    "ggml-org/test-model-stories260K-infill/stories260K-infill-F32.gguf",
    "ggml-org/test-model-router-download/stories-F16.gguf",
    "ggml-org/tinygemma3-GGUF/tinygemma3-Q8_0.gguf",
)
DRAFT_FILE = "stories15M-q4_0.gguf"
MOST_OUTPUT = 20_000  # characters kept of what a failed test printed; polling ones print 100 MB


def fill_hub(hub: Path) -> None:
    """Lays the stand-ins out as the Hugging Face cache does, as hard links: a server that is told to delete a model also
    deletes what a symbolic link points to."""
    for stand_in in STAND_INS:
        owner, repository, file = stand_in.split("/", 2)
        folder = hub / f"models--{owner}--{repository}"
        link = folder / "snapshots" / COMMIT / file
        link.parent.mkdir(parents=True, exist_ok=True)
        link.hardlink_to(MODEL)
        (folder / "refs").mkdir(exist_ok=True)
        (folder / "refs" / "main").write_text(COMMIT)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def with_free_port(init):
    def init_with_free_port(server: utils.ServerProcess) -> None:
        init(server)
        server.server_port = free_port()  # the suite's fixed ones may be in use

    return init_with_free_port


def local_file(url: str, output_file_path: str | None = None) -> str:
    if url.endswith(DRAFT_FILE):
        return str(MODEL)
    raise FileNotFoundError(f"{url} has no stand-in")


utils.ServerProcess.__init__ = with_free_port(utils.ServerProcess.__init__)
utils.ServerPreset.load_all = staticmethod(lambda: None)  # would download each preset's model
utils.download_file = local_file


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_hub(tmp_path / "hub")
    monkeypatch.setenv("LLAMA_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("MODEL_ENDPOINT", "http://127.0.0.1:9/")  # where nothing listens: the hub is never asked


class Outcomes:
    """Collects one word for each test and writes them when the run ends."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.of: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        report.sections = [(title, text[-MOST_OUTPUT:]) for title, text in report.sections]
        if report.failed:
            self.of[report.nodeid] = "failed" if report.when == "call" else "error"
        elif report.skipped:
            self.of[report.nodeid] = "skipped"
        elif report.when == "call":
            self.of[report.nodeid] = "passed"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.of[report.nodeid] = "error"

    def pytest_sessionfinish(self) -> None:
        self.file.write_text(json.dumps(dict(sorted(self.of.items())), indent=1) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the reports of all workers arrive at the one that has none
        config.pluginmanager.register(Outcomes(Path(os.environ["SUITE_RESULTS"])))
