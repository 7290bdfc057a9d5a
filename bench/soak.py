#!/usr/bin/env python3
"""Many mixed requests at a gateway, some of which leave: nothing may be lost, wrong, or left behind.

    bench/soak.py --program build/release/bin/skimfill --model SmolLM2-135M-Instruct.Q4_1.gguf

Starts `skimfill serve` with the model as target and drafter, asks each kind of request alone for a reference, then
sends --requests of them, --clients at a time. A share of the clients hangs up: before the first byte, in the middle of
a stream, while queued. Prints one JSON object: counts, memory, health times; exit 1 when a reply was lost or differs
from the reference, when a gauge does not come back to 0, or when memory has grown by more than --most-growth-mib.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue

QUESTION = "What is the code of the north gate?"


@dataclass(frozen=True)
class Kind:
    name: str
    path: str
    body: dict[str, object]

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))


def document(lines: int) -> str:
    text = [f"On day {i} the place was open until {i % 12 + 1} o'clock and quiet." for i in range(lines)]
    text.insert(lines * 2 // 3, "The code of the north gate is 7391, as the caretaker wrote down.")
    return "\n".join(text)


def kinds() -> list[Kind]:
    made = []
    topics = ["rivers", "bread", "clocks", "maps", "wool", "salt"]
    for number, topic in enumerate(topics):
        prompt = f"Say one thing about {topic}."
        message = [{"role": "user", "content": prompt}]
        for stream in (False, True):
            plain = {"temperature": 0, "stream": stream}
            made += [
                Kind(f"chat-{number}-{stream}", "/v1/chat/completions", {"messages": message, "max_tokens": 12, **plain}),
                Kind(f"completion-{number}-{stream}", "/v1/completions", {"prompt": prompt, "max_tokens": 10, **plain}),
                Kind(f"messages-{number}-{stream}", "/v1/messages", {"messages": message, "max_tokens": 12, **plain}),
                Kind(f"responses-{number}-{stream}", "/v1/responses", {"input": prompt, "max_output_tokens": 12, **plain}),
            ]
    long = [{"role": "user", "content": f"{document(20)}\n\n{QUESTION}"}]
    for stream in (False, True):
        body = {"messages": long, "max_tokens": 8, "temperature": 0, "stream": stream, "skim": {"mode": "always"}}
        made.append(Kind(f"skimmed-{stream}", "/v1/chat/completions", body))
    return made


def text_in(value: dict) -> str:
    """The generated text of a reply, or of one event of a stream, in any dialect."""
    choice = (value.get("choices") or [{}])[0]
    for part in (choice.get("message"), choice.get("delta"), choice):
        if part and (part.get("content") or part.get("text")):
            return part.get("content") or part.get("text")
    if value.get("type") == "content_block_delta":
        return value["delta"].get("text", "")
    if value.get("type") == "response.output_text.delta":
        return value["delta"]
    if value.get("type") == "message":
        return "".join(block.get("text", "") for block in value["content"])
    if value.get("object") == "response":
        return "".join(p.get("text", "") for o in value["output"] for p in o.get("content", []) if o["type"] == "message")
    return ""


def text_of(raw: bytes, streamed: bool) -> str:
    if not streamed:
        return text_in(json.loads(raw))
    lines = [line[6:] for line in raw.decode().splitlines() if line.startswith("data: ")]
    values = [json.loads(line) for line in lines if line != "[DONE]"]
    assert not any("error" in value for value in values), values
    return "".join(text_in(value) for value in values)


@dataclass
class Outcome:
    answered: int = 0
    left: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)


class Gateway:
    def __init__(self, program: str, model: str, slots: int) -> None:
        arguments = ["-m", model, "-c", "8192", "-np", str(slots), "--prefill-drafter", model]
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--prefill-compression", "off", "--max-queue", "1000", *arguments],
            stderr=subprocess.PIPE,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
            text=True,
            errors="replace",
        )
        self.port = 0
        for line in self.process.stderr:
            if found := re.search(r"listening on http://\S+:(\d+)", line):
                self.port = int(found[1])
                break
        threading.Thread(target=self._drain, daemon=True).start()
        while self.get("/health")[0] != 200:
            time.sleep(0.2)

    def _drain(self) -> None:
        for _ in self.process.stderr:
            pass

    def get(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, body

    def ask(self, kind: Kind, leave_after_s: float | None = None) -> bytes | None:
        """The reply; None when this client left before its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.request("POST", kind.path, json.dumps(kind.body), {"Content-Type": "application/json"})
            if leave_after_s is not None:
                connection.sock.settimeout(leave_after_s)
            try:
                reply = connection.getresponse()
                body = reply.read()
            except TimeoutError:
                return None
            if reply.status != 200:
                raise RuntimeError(f"{reply.status}: {body[:200]!r}")
            return body
        finally:
            connection.close()

    def memory_kib(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def gauge(self, name: str) -> float:
        return float(re.search(rf"^{name} (\S+)", self.get("/metrics")[1].decode(), re.MULTILINE)[1])

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def soak(gateway: Gateway, options: argparse.Namespace, reference: dict[str, str], outcome: Outcome) -> None:
    jobs: Queue[tuple[Kind, float | None]] = Queue()
    chance = random.Random(options.seed)
    for _ in range(options.requests):
        leaves = chance.random() < options.leaving
        jobs.put((chance.choice(kinds()), chance.uniform(0.01, 6) if leaves else None))
    lock = threading.Lock()

    def client() -> None:
        while True:
            try:
                kind, leave_after_s = jobs.get_nowait()
            except Empty:
                return
            try:
                reply = gateway.ask(kind, leave_after_s)
                text = None if reply is None else text_of(reply, kind.streamed)
            except Exception as failure:  # whatever happens to a client is a loss
                with lock:
                    outcome.lost.append(f"{kind.name}: {failure!r}")
                continue
            with lock:
                if text is None:
                    outcome.left += 1
                else:
                    outcome.answered += 1
                    if text != reference[kind.name]:
                        outcome.wrong.append(f"{kind.name}: {text!r}, alone: {reference[kind.name]!r}")

    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(0.2):
            start = time.monotonic()
            status, _ = gateway.get("/health")
            outcome.health_ms.append((time.monotonic() - start) * 1000)
            assert status == 200

    clients = [threading.Thread(target=client) for _ in range(options.clients)]
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    for thread in clients:
        thread.start()
    while any(thread.is_alive() for thread in clients):
        if sys.stderr.isatty():
            print(f"\r{options.requests - jobs.qsize()} of {options.requests} begun ", end="", file=sys.stderr)
        time.sleep(1)
    stop.set()
    watcher.join()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--leaving", type=float, default=0.2, help="share of clients that hang up")
    parser.add_argument("--most-growth-mib", type=float, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    gateway = Gateway(options.program, options.model, options.slots)
    reference = {kind.name: text_of(gateway.ask(kind), kind.streamed) for kind in kinds()}
    # Buffers and threads of a first busy minute are not a leak.
    warm = argparse.Namespace(**vars(options) | {"requests": options.clients * 2, "seed": options.seed + 1})
    soak(gateway, warm, reference, Outcome())
    time.sleep(2)
    before_kib = gateway.memory_kib()
    outcome = Outcome()
    start = time.monotonic()
    soak(gateway, options, reference, outcome)
    seconds = time.monotonic() - start
    time.sleep(3)
    after_kib = gateway.memory_kib()
    inside = gateway.gauge("skimfill_requests_inside")
    at_target = gateway.gauge("skimfill_requests_at_target")
    exit_code = gateway.stop()
    growth_mib = (after_kib - before_kib) / 1024
    print(
        json.dumps(
            {
                "requests": options.requests,
                "clients": options.clients,
                "seconds": round(seconds, 1),
                "answered": outcome.answered,
                "left": outcome.left,
                "lost": outcome.lost,
                "wrong": outcome.wrong,
                "inside_after": inside,
                "at_target_after": at_target,
                "memory_before_mib": round(before_kib / 1024, 1),
                "memory_growth_mib": round(growth_mib, 1),
                "health_polls": len(outcome.health_ms),
                "health_p50_ms": round(percentile(outcome.health_ms, 0.5), 1),
                "health_p99_ms": round(percentile(outcome.health_ms, 0.99), 1),
                "exit_code": exit_code,
            },
            indent=2,
        )
    )
    bad = outcome.lost or outcome.wrong or inside or at_target or exit_code or growth_mib > options.most_growth_mib
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
