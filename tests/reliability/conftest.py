"""The gateways that the cases share. Each takes a second or more to start, so they live as long as they can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gateway_process import Gateway
from make_gguf import Shape, make_gguf
from scripted import Scripted
from staging import SLOTS, Staged, healthy, nothing


@pytest.fixture(scope="session")
def toy(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the toy of the other tests, but half as wide: the answers of that one are certain (log probability 0)."""
    return make_gguf(model, Shape("llama", n_layer=2, n_ctx=8192), tmp_path_factory.mktemp("narrow") / "toy.gguf")


@pytest.fixture(scope="session")
def small_child(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A child llama-server with the small model, which is its drafter too, and a template that knows tools."""
    template = Path(__file__).with_name("tools.jinja")
    arguments = ["-m", model, "-c", "4096", "-np", SLOTS, "--prefill-drafter", model, "--chat-template-file", template]
    with Gateway(*map(str, arguments), folder=tmp_path_factory.mktemp("small")) as gateway:
        gateway.wait_ready()
        yield gateway


@pytest.fixture(scope="session")
def toy_child(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A child llama-server with the toy model: one request may use 4,096 tokens."""
    arguments = ["-m", toy, "-c", "8192", "-np", SLOTS, "--metrics", "--prefill-drafter", toy]
    with Gateway(*map(str, arguments), folder=tmp_path_factory.mktemp("toy-child")) as gateway:
        gateway.wait_ready()
        yield gateway


@pytest.fixture(scope="module")
def upstream_stage(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(nothing))
        arguments = ["--upstream", server.url, "--prefill-drafter", toy]
        folder = tmp_path_factory.mktemp("upstream")
        yield stack.enter_context(Gateway(*map(str, arguments), folder=folder)), server


@pytest.fixture
def staged(upstream_stage: Staged) -> Staged:
    """A gateway with a drafter in front of a scripted target; a test sets `answer`."""
    gateway, server = upstream_stage
    server.received.clear()
    server.closed_early.clear()
    server.answer = nothing
    return gateway, server


@pytest.fixture(scope="module")
def child_stage(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staged]:
    program = Path(__file__).with_name("pumped_child.py")
    with ExitStack() as stack:
        server = stack.enter_context(Scripted(healthy(nothing)))
        port = server.url.rpartition(":")[2]
        arguments = ["-m", toy, "--llama-server", program, "--behind", port, "-np", SLOTS]
        gateway = stack.enter_context(Gateway(*map(str, arguments), folder=tmp_path_factory.mktemp("pumped")))
        gateway.wait_ready()
        yield gateway, server


@pytest.fixture
def staged_child(child_stage: Staged) -> Staged:
    """A gateway whose child is a scripted target; a test sets `answer`, within healthy()."""
    gateway, server = child_stage
    server.answer = healthy(nothing)
    return gateway, server
