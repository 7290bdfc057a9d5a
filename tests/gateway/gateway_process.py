"""`skimfill serve` as a process of the tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from built import LIMIT_S, LLAMA_SERVER, PROGRAM
from raw_http import get, wait_until
from scripted import Scripted


class Gateway:
    command: tuple[str | Path, ...] = (PROGRAM, "serve")

    def __init__(self, *arguments: str | Path, folder: Path) -> None:
        assert Path(self.command[0]).exists(), f"{self.command[0]} is not built"
        self.folder = folder  # its TMPDIR: what it leaves behind is seen there
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("LLAMA_ARG_", "LLAMA_API_"))}
        self.process = subprocess.Popen(
            [*map(str, self.command), "--port", "0", *map(str, arguments)],
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=kept | {"TMPDIR": str(folder)},
        )
        self.log = ""
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._listening.wait(LIMIT_S)
        found = re.search(r"listening on https?://\S+:(\d+)", self.log)
        self.port = int(found[1]) if found else 0

    def _read_log(self) -> None:
        for line in self.process.stderr:
            self.log += line.decode(errors="replace")
            if b"listening on" in line:
                self._listening.set()
        self._listening.set()

    def __enter__(self) -> "Gateway":
        assert self.port, self.log
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()

    def wait_ready(self) -> None:
        wait_until(lambda: self.process.poll() is not None or get(self.port, "/health").status == 200)
        assert self.process.poll() is None, self.log

    def stop(self, by: int = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        return code

    def children(self) -> list[int]:
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for task in tasks for pid in task.read_text().split()]


class LlamaServer(Gateway):
    """The target itself, without us."""

    command = (LLAMA_SERVER,)


Front = Callable[..., tuple[Gateway, Scripted]]
