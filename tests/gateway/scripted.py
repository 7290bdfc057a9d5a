"""A target of the tests: sends given bytes in given pieces with pauses, and remembers what it was sent."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

# bytes are sent, numbers are seconds of silence, None drops the connection at once.
Script = Iterable[bytes | float | None]


@dataclass
class Received:
    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


@dataclass
class Scripted:
    """Answers each request with what `answer(request)` yields. One thread a connection."""

    answer: Callable[[Received], Script]
    received: list[Received] = field(default_factory=list)
    closed_early: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "Scripted":
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def bodies(self, path: str) -> list[bytes]:
        return [r.body for r in self.received if r.path == path]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            start = stream.readline()
            if not start:
                return  # a client that left before it asked
            method, path, _ = start.decode().split(" ")
            headers = []
            while line := stream.readline().decode("latin-1").strip():
                name, value = line.split(":", 1)
                headers.append((name, value.strip()))
            length = next((int(v) for k, v in headers if k.lower() == "content-length"), 0)
            request = Received(method, path, headers, stream.read(length))
            self.received.append(request)
            try:
                for step in self.answer(request):
                    if step is None:
                        return
                    if isinstance(step, bytes):
                        connection.sendall(step)
                    else:
                        self._pause(connection, step)
            except (BrokenPipeError, ConnectionResetError):
                self.closed_early.set()

    def _pause(self, connection: socket.socket, seconds: float) -> None:
        connection.settimeout(seconds)
        try:
            if connection.recv(1) == b"":
                raise ConnectionResetError
        except TimeoutError:
            pass
        finally:
            connection.settimeout(None)


def reply(body: bytes, status: str = "200 OK", content_type: str = "application/json", extra: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


EVENT_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


LAST_CHUNK = b"0\r\n\r\n"


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def delta(text: str, reason: str | None = None) -> dict[str, object]:
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": reason}],
    }


DONE = b"data: [DONE]\n\n"
