# SPDX-License-Identifier: Apache-2.0
"""A process that runs what a transport needs between its ends: a broker, router, master or folder.

``python -m wirecost.measure.bench.transport.host TRANSPORT HOST``; with an empty HOST on loopback
as the transport does it by itself, else at that address. At ``open`` it answers with the
``address`` and the process numbers of the servers, ``pids``.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack

import psutil

from wirecost.messaging.transport import find
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import drive


class ServerHost:
    """Servers of a transport, in this process."""

    def __init__(self, arguments: list[str]) -> None:
        self._name, self._address = arguments
        self._stack = ExitStack()

    def do(self, command: JsonObject) -> JsonObject:
        del command  # there is only ``open``
        kind = find(self._name)
        server = kind.server_at(self._address) if self._address else kind.server()
        address = self._stack.enter_context(server)
        processes = psutil.Process().children(recursive=True)
        return {"address": address, "pids": [process.pid for process in processes]}

    def close(self) -> None:
        self._stack.close()


if __name__ == "__main__":
    drive(lambda _: ServerHost(sys.argv[1:]))
