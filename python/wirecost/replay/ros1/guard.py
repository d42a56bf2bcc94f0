# SPDX-License-Identifier: Apache-2.0
"""The recorder's side of the process that gives back what the recorder took."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.service_proxy import Place
from wirecost.replay.ros1.sockets import PeerError
from wirecost.replay.system import Call

ANSWER_S = 10.0


class Guard:
    """Runs ``guard_process`` in a session of its own, which outlives us where we are killed."""

    def __init__(self, master: Master, recorder: str, recorder_uri: str, host: str) -> None:
        self._master = master
        self._arguments = [master.uri, recorder, recorder_uri, host]
        self._answered = threading.Condition()
        self._places: dict[str, Place | None] = {}
        self._calls: list[Call] = []
        self._notes: list[str] = []
        self._dropped = 0
        self._ended = False
        self._lingers = False

    def __enter__(self) -> Guard:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "wirecost.replay.ros1.guard_process", *self._arguments],
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
        self._tell({"subscribe": topic})

    def watch(self, service: str, caller: str | None) -> None:
        """Calls of the service are seen from now on: those by ``caller``, or all."""
        self._tell({"watch": service, "caller": caller})
        with self._answered:
            if not self._answered.wait_for(
                lambda: service in self._places or self._ended, ANSWER_S
            ):
                self._notes.append(f"{service}: its place could not be taken in time")

    def place(self, service: str) -> Place | None:
        """Who provided it before, where its place was taken."""
        with self._answered:
            return self._places.get(service)

    def calls(self) -> list[Call]:
        with self._answered:
            calls, self._calls = self._calls, []
        return calls

    def notes(self) -> list[str]:
        with self._answered:
            notes, self._notes = self._notes, []
        return notes

    def _tell(self, command: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                with self._answered:
                    self._hear(json.loads(line))
                    self._answered.notify_all()
                    if self._ended:
                        return
        with self._answered:
            self._ended = True
            self._notes.append(
                "the process that stands in for services ended: their calls are seen no more"
            )
            self._answered.notify_all()
            places = list(self._places.items())
        # It was killed, so that nobody answers in the places that it took.
        for service, place in places:
            if place is not None:
                with suppress(PeerError):
                    owner = Master(self._master.uri, place.owner)
                    owner.provide(service, place.service_uri, place.owner_uri)

    def _hear(self, said: dict[str, Any]) -> None:
        match said:
            case {"call": fields, "dropped": dropped}:
                for name in ("request", "reply"):
                    fields[name] = base64.b64decode(fields[name])
                self._calls.append(Call(**fields))
                if dropped > self._dropped:
                    self._notes.append(f"{dropped - self._dropped} service calls were lost")
                    self._dropped = dropped
            case {"watched": service, "place": place}:
                self._places[service] = Place(**place)
            case {"watched": service, "error": error}:
                self._places[service] = None
                self._notes.append(str(error))
            case {"ended": connections}:
                self._ended = True
                self._lingers = connections > 0
                if connections:
                    self._notes.append(
                        f"{connections} persistent connections to services go on through process "
                        f"{self._process.pid}, which ends with them"
                    )
