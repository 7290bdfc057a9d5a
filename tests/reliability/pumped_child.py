#!/usr/bin/env python3
"""A program in llama-server's place: listens where it is told and passes every byte to and from a local port.

    pumped_child.py --host FOLDER/llama.sock --behind PORT …

With a scripted target behind it, the gateway's child answers what a test says.
"""

from __future__ import annotations

import socket
import sys
import threading


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    # Both ends: a side that is gone ends the whole connection.
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main() -> None:
    arguments = sys.argv[1:]
    port = int(arguments[arguments.index("--behind") + 1])
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(arguments[arguments.index("--host") + 1])
        listener.listen(256)
        while True:
            near, _ = listener.accept()
            far = socket.create_connection(("127.0.0.1", port))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pump, args=pair, daemon=True).start()


if __name__ == "__main__":
    main()
