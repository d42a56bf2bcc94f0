# SPDX-License-Identifier: Apache-2.0
"""The process beside a recorder that leaves the system as it was found, however the recorder ends.

Commands come as JSON lines on standard input; its end is the recorder's end. Answers and finished
calls go as JSON lines to standard output, bytes in Base64.
"""

from __future__ import annotations

import base64
import os
import queue
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict

from wirecost.replay.middleware import Call
from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.service_proxy import ServiceProxy
from wirecost.replay.ros1.slave import ApiServer, SlaveApi
from wirecost.replay.ros1.sockets import PeerError
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import Lines

FOLLOW_S = 1.0
MAX_WAITING = 10_000
MAX_WAITING_BYTES = 64 << 20


class _Output:
    """A thread that writes, so that a recorder that does not read delays no call."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._waiting: queue.Queue[tuple[JsonObject, int]] = queue.Queue(MAX_WAITING)
        self._bytes = 0
        self._dropped = 0
        threading.Thread(target=self._write, daemon=True).start()

    def put(self, message: JsonObject, size: int = 0) -> None:
        """Let the thread write it, or count it as dropped where too much waits already."""
        if self._bytes + size > MAX_WAITING_BYTES:
            self._dropped += 1
            return
        try:
            self._waiting.put_nowait((message, size))
            self._bytes += size
        except queue.Full:
            self._dropped += 1

    def call(self, call: Call) -> None:
        fields = asdict(call)
        for name in ("request", "reply"):
            fields[name] = base64.b64encode(fields[name]).decode()
        size = len(fields["request"]) + len(fields["reply"])
        self.put({"call": fields, "dropped": self._dropped}, size)

    def flush(self) -> None:
        """Wait until all is written, or the recorder has gone."""
        self._waiting.join()

    def _write(self) -> None:
        while True:
            message, size = self._waiting.get()
            self._bytes -= size
            with suppress(EOFError):  # the recorder has gone
                self._lines.put(message)
            self._waiting.task_done()


def main(master_uri: str, recorder: str, recorder_uri: str, host: str) -> None:
    """Serve until the recorder ends and no connection of a service stands any more."""
    # Ctrl-C is meant for the recorder, which then closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    ending, end = os.pipe()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os.write(end, b"."))
    lines = Lines()
    output = _Output(lines)
    master = Master(master_uri, f"/wirecost_services_{os.getpid()}")
    subscribed: list[str] = []
    with (
        ApiServer(host, SlaveApi(master_uri)) as api,
        ServiceProxy(master, api.uri, host, output.call) as proxy,
    ):
        try:
            with suppress(EOFError):
                _obey(lines, ending, proxy, subscribed, output)
        finally:
            proxy.hand_back()
            for topic in subscribed:
                with suppress(PeerError):
                    Master(master_uri, recorder).unsubscribe(topic, recorder_uri)
        output.put({"ended": proxy.connections()})
        output.flush()
        while proxy.connections():
            time.sleep(0.2)


def _obey(
    lines: Lines, ending: int, proxy: ServiceProxy, subscribed: list[str], output: _Output
) -> None:
    """Carry out commands until a signal comes. Raises EOFError where the recorder has gone."""
    followed = time.monotonic()
    while True:
        ready, _, _ = select.select([lines.fileno(), ending], [], [], FOLLOW_S)
        if ending in ready:
            return
        if ready:
            lines.take()
            while (command := lines.pop()) is not None:
                _command(command, proxy, subscribed, output)
        if time.monotonic() - followed >= FOLLOW_S:
            followed = time.monotonic()
            proxy.follow_providers()


def _command(
    command: JsonObject, proxy: ServiceProxy, subscribed: list[str], output: _Output
) -> None:
    if "subscribe" in command:
        subscribed.append(command["subscribe"])
        return
    service = command["watch"]
    try:
        output.put(
            {"watched": service, "provider": asdict(proxy.intercept(service, command["caller"]))}
        )
    except PeerError as error:
        output.put({"watched": service, "error": str(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
