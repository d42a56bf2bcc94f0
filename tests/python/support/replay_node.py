# SPDX-License-Identifier: Apache-2.0
"""A node of ``replay_fakes``: for each message of /in, one on /out, the number in it doubled.

Arguments: ``--needs-map`` waits for /map first; ``--dies N`` exits with 7 at the Nth message;
``--report N`` prints that it received so many;
``--random`` answers something else each time; ``--deaf`` joins nothing.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time


def join(kind: str, name: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", int(os.environ["FAKE_SYSTEM"])))
    word = f"{kind} {name}".encode()
    connection.sendall(struct.pack("<I", len(word)) + word)
    return connection


def read(file) -> bytes:  # noqa: ANN001
    head = file.read(4)
    return file.read(struct.unpack("<I", head)[0]) if len(head) == 4 else b""


def main() -> None:
    arguments = sys.argv[1:]
    print("started", *arguments, flush=True)
    if "--deaf" in arguments:
        time.sleep(600)
    factor = 2
    if "--needs-map" in arguments:
        factor = read(join("sub", "/map").makefile("rb"))[0]
    inputs, output = join("sub", "/in").makefile("rb"), join("pub", "/out")
    last = int(arguments[arguments.index("--dies") + 1]) if "--dies" in arguments else -1
    count = 0
    while message := read(inputs):
        count += 1
        if count == last:
            print("no more memory", flush=True)
            sys.exit(7)
        if "--report" in arguments and str(count) == arguments[arguments.index("--report") + 1]:
            print("received", count, flush=True)
        *header, number = struct.unpack("<IIIII", message)
        number = os.getpid() if "--random" in arguments else number * factor
        answer = struct.pack("<IIIII", *header, number)
        output.sendall(struct.pack("<I", len(answer)) + answer)


if __name__ == "__main__":
    main()
