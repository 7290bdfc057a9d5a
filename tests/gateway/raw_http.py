"""HTTP by hand: what goes over the wire is what the test says, and what comes back is seen as it came."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from built import LIMIT_S


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    complete: bool  # false when the connection ended before the body did


class Connection:
    def __init__(self, port: int, over: socket.socket | None = None) -> None:
        self.socket = over or socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
        self.stream = self.socket.makefile("rb")

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def post(self, path: str, body: bytes, headers: str = "Content-Type: application/json\r\n") -> None:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        self.send(head.encode() + body)

    def read_head(self) -> Reply:
        status = int(self.stream.readline().split()[1])
        headers = {}
        while line := self.stream.readline().strip():
            name, value = line.decode("latin-1").split(":", 1)
            headers[name.lower()] = value.strip()
        return Reply(status, headers, b"", True)

    def read_chunk(self) -> bytes | None:
        """One chunk; empty at the end, None when the connection ended before."""
        size = self.stream.readline()
        if not size:
            return None
        data = self.stream.read(int(size, 16))
        self.stream.readline()
        return data

    def read_reply(self, has_body: bool = True) -> Reply:
        reply = self.read_head()
        if not has_body:
            return reply
        if reply.headers.get("transfer-encoding") == "chunked":
            while data := self.read_chunk():
                reply.body += data
            reply.complete = data is not None
        elif "content-length" in reply.headers:
            length = int(reply.headers["content-length"])
            reply.body = self.stream.read(length)
            reply.complete = len(reply.body) == length
        else:
            reply.body = self.stream.read()
        return reply

    def is_closed_by_peer(self) -> bool:
        return self.stream.read(1) == b""


def request(port: int, data: bytes, has_body: bool = True) -> Reply:
    with Connection(port) as connection:
        connection.send(data)
        return connection.read_reply(has_body)


def post(port: int, path: str, body: bytes, headers: str = "Content-Type: application/json\r\n") -> Reply:
    with Connection(port) as connection:
        connection.post(path, body, headers)
        return connection.read_reply()


def get(port: int, path: str) -> Reply:
    return request(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def wait_until(condition, limit_s: float = LIMIT_S) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.05)
