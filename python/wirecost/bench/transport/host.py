# SPDX-License-Identifier: Apache-2.0
"""A process that runs what a transport needs between its ends: a broker, router, master or folder.

``python -m wirecost.bench.transport.host TRANSPORT HOST``; with an empty HOST on loopback as the
transport does it by itself, else at that address. At ``open`` it answers with the ``address`` and
the process numbers of the servers, ``pids``.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import psutil

from wirecost.bench.driven import Lines, drive
from wirecost.errors import UserError
from wirecost.transport import find


class Host:
    def __init__(self, arguments: list[str], lines: Lines) -> None:
        self._name, self._address = arguments
        self._lines = lines
        self._stack = ExitStack()

    def serve(self) -> None:
        """Returns at ``close``. Raises EOFError, BrokenPipeError."""
        while self._lines.next()["do"] != "close":
            try:
                self._lines.send(self._open())
            except UserError as error:
                self._lines.send({"failure": str(error)})

    def _open(self) -> dict[str, Any]:
        kind = find(self._name)
        server = kind.server_at(self._address) if self._address else kind.server()
        address = self._stack.enter_context(server)
        servers = psutil.Process().children(recursive=True)
        return {"address": address, "pids": [one.pid for one in servers]}

    def close(self) -> None:
        self._stack.close()


if __name__ == "__main__":
    drive(lambda lines: Host(sys.argv[1:], lines))
