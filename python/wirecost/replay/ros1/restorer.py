# SPDX-License-Identifier: Apache-2.0
"""The recorder's side of the process that undoes what the recorder changed."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from wirecost.replay.middleware import Call
from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.service_proxy import Provider
from wirecost.replay.ros1.sockets import PeerError

ANSWER_S = 10.0


class Restorer:
    """Runs ``restorer_process`` in a session of its own, which outlives us where we are killed."""

    def __init__(self, master: Master, recorder: str, recorder_uri: str, host: str) -> None:
        self._master = master
        self._arguments = [master.uri, recorder, recorder_uri, host]
        self._answered = threading.Condition()
        self._former: dict[str, Provider | None] = {}
        self._calls: list[Call] = []
        self._notes: list[str] = []
        self._dropped = 0
        self._ended = False
        self._lingers = False

    def __enter__(self) -> Restorer:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "wirecost.replay.ros1.restorer_process", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with self._answered:
            self._answered.wait_for(lambda: self._ended, ANSWER_S)
            lingers = self._lingers
        if not lingers:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ANSWER_S)

    def will_subscribe(self, topic: str) -> None:
        self._send({"subscribe": topic})

    def watch(self, service: str, caller: str | None) -> None:
        """Call of the service are recorded from now on: those by ``caller``, or all."""
        self._send({"watch": service, "caller": caller})
        with self._answered:
            if not self._answered.wait_for(
                lambda: service in self._former or self._ended, ANSWER_S
            ):
                self._notes.append(f"{service}: not intercepted in time, so not recorded")

    def former_provider(self, service: str) -> Provider | None:
        """Return who provided the service before it was intercepted; None where it was not."""
        with self._answered:
            return self._former.get(service)

    def calls(self) -> list[Call]:
        with self._answered:
            calls, self._calls = self._calls, []
        return calls

    def notes(self) -> list[str]:
        with self._answered:
            notes, self._notes = self._notes, []
        return notes

    def _send(self, command: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._answered:
                    self._handle(json.loads(line))
                    self._answered.notify_all()
                    if self._ended:
                        return
        with self._answered:
            self._ended = True
            self._notes.append(
                "the process that intercepts service calls ended: no more calls are recorded"
            )
            self._answered.notify_all()
            former = list(self._former.items())
        # It was killed; the services that it intercepted need their providers back.
        for service, provider in former:
            if provider is not None:
                with suppress(PeerError):
                    as_provider = Master(self._master.uri, provider.node)
                    as_provider.provide(service, provider.service_uri, provider.node_uri)

    def _handle(self, message: dict[str, Any]) -> None:
        match message:
            case {"call": fields, "dropped": dropped}:
                for name in ("request", "reply"):
                    fields[name] = base64.b64decode(fields[name])
                self._calls.append(Call(**fields))
                if dropped > self._dropped:
                    self._notes.append(f"{dropped - self._dropped} service calls were lost")
                    self._dropped = dropped
            case {"watched": service, "provider": provider}:
                self._former[service] = Provider(**provider)
            case {"watched": service, "error": error}:
                self._former[service] = None
                self._notes.append(str(error))
            case {"ended": connections}:
                self._ended = True
                self._lingers = connections > 0
                if connections:
                    self._notes.append(
                        f"{connections} persistent service connections still go through process "
                        f"{self._process.pid}, which ends when they do"
                    )
