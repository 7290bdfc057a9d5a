"""On a terminal: a progress bar that goes away, and Ctrl-C that ends the run."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from built import LIMIT_S, PROGRAM
from prompts import NEEDLE, QUESTION, document


class Terminal:
    """A run whose stderr, and if wanted stdout, is a terminal of 80 columns."""

    def __init__(self, environment: dict[str, str], *arguments: str | Path, stdout_too: bool = False) -> None:
        self.screen, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [str(PROGRAM), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=slave if stdout_too else subprocess.DEVNULL,
            stderr=slave,
            env=environment,
        )
        os.close(slave)
        self.seen = b""

    def read_until(self, wanted: bytes | None) -> bytes:
        """Reads until `wanted` was seen, or with None to the end; returns all that was shown."""
        deadline = time.monotonic() + LIMIT_S
        while wanted is None or wanted not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if not select.select([self.screen], [], [], 1)[0]:
                continue
            try:
                data = os.read(self.screen, 65536)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                assert wanted is None, self.seen
                break
            self.seen += data
        return self.seen

    def end(self) -> int:
        self.read_until(None)
        os.close(self.screen)
        return self.process.wait(LIMIT_S)


def screen_lines(shown: bytes) -> list[str]:
    """What stays visible: a carriage return goes back to the line's start, ESC[K clears from there."""
    lines = []
    for line in shown.decode().split("\n"):
        current = line.rstrip("\r").rpartition("\r\x1b[K")[2]
        lines.append(current)
    return lines


def test_the_bar_is_drawn_and_taken_away(environment: dict[str, str], utf8_file: Path) -> None:
    run = Terminal(environment, "skim", utf8_file, "--question", QUESTION, "--keep", "0.2")
    assert run.end() == 0
    assert b"scoring" in run.seen and b" %" in run.seen
    left = screen_lines(run.seen)
    assert not any("scoring" in line or "loading" in line for line in left)
    assert left[0].startswith("skimmed: kept ")


def test_spans_are_shown_with_place_and_score(environment: dict[str, str], utf8_file: Path) -> None:
    run = Terminal(environment, "skim", utf8_file, "--question", QUESTION, "--keep", "0.2", stdout_too=True)
    assert run.end() == 0
    shown = run.seen.decode()
    assert NEEDLE in shown
    assert "\x1b[2mbytes " in shown and "score +" in shown


def cancelled_run(environment: dict[str, str], folder: Path, ending: signal.Signals) -> Terminal:
    text = folder / "long.txt"
    text.write_text(document(1500))
    run = Terminal(environment, "skim", text, "--question", QUESTION, "--output", folder / "out.txt")
    run.read_until(b"scoring")
    run.process.send_signal(ending)
    return run


def test_ctrl_c_ends_the_run_and_leaves_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    run = cancelled_run(environment, tmp_path, signal.SIGINT)
    assert run.end() == 130
    assert [line for line in screen_lines(run.seen) if line] == ["skimfill: cancelled"]
    assert [p.name for p in tmp_path.iterdir()] == ["long.txt"]


def test_termination_is_the_same(environment: dict[str, str], tmp_path: Path) -> None:
    run = cancelled_run(environment, tmp_path, signal.SIGTERM)
    assert run.end() == 130
    assert [p.name for p in tmp_path.iterdir()] == ["long.txt"]


def test_a_second_ctrl_c_does_not_wait(environment: dict[str, str], tmp_path: Path) -> None:
    run = cancelled_run(environment, tmp_path, signal.SIGINT)
    time.sleep(0.05)  # two signals of a kind at once are one
    if run.process.poll() is None:
        run.process.send_signal(signal.SIGINT)
    assert run.end() == 130
    assert b"cancelled" in run.seen
    assert [p.name for p in tmp_path.iterdir()] == ["long.txt"]


def test_waiting_for_stdin_can_be_cancelled(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [str(PROGRAM), "skim", "-", "--question", QUESTION],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(b"x" * 1_000_000)  # more than the pipe holds: when this returns, the program is reading
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT_S) == 130
    assert process.stderr is not None and process.stderr.read() == b"skimfill: cancelled\n"
