"""Gateways in front of a scripted target and of a real one, and prompts with one wanted line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gateway_process import Front, Gateway
from scripted import Received, Script, Scripted


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    """Starts a gateway in front of a target that answers with the given script."""
    with ExitStack() as stack:

        def start(answer: Callable[[Received], Script], *arguments: str | Path) -> tuple[Gateway, Scripted]:
            target = stack.enter_context(Scripted(answer))
            gateway = stack.enter_context(Gateway("--upstream", target.url, *arguments, folder=tmp_path))
            return gateway, target

        yield start


@pytest.fixture(scope="session")
def with_child(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A child llama-server with a toy, which is its drafter too."""
    arguments = ["-m", toy, "-c", "4096", "-np", "2", "--prefill-drafter", toy]
    with Gateway(*arguments, folder=tmp_path_factory.mktemp("child")) as gateway:
        gateway.wait_ready()
        yield gateway
