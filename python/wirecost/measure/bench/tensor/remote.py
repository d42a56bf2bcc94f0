# SPDX-License-Identifier: Apache-2.0
"""``--role publish``: the listening ends, on the machine where ``--role listen`` waits."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import deque
from contextlib import suppress
from typing import Any

from wirecost.measure.bench.tensor import clocks
from wirecost.measure.bench.tensor.commands import MOST_ANSWER, VERSION
from wirecost.measure.bench.tensor.contenders.base import TensorContender, TensorMeeting
from wirecost.measure.bench.tensor.link import Link, LinkError, plain
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import ANSWER_S
from wirecost.system.children import ProgramFailedError
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

CONNECT_S = 10.0
NUMBER = 1 << 62


class LostListenerError(Exception):
    """Loss of the listener, which cannot be reached or answers what none would; one line."""


class Remote(Closing):
    """Connection to a listener."""

    def __init__(self, host: str, port: int, token: str) -> None:
        """Connect. Raises UserError if no listener is there that takes this token and version."""
        self._who = f"{host}:{port}"
        try:
            connected = socket.create_connection((host, port), CONNECT_S)
        except OSError as error:
            reason = error.strerror or error
            raise UserError(
                f"--peer {self._who}: {reason}; start wirecost bench tensor --role listen there"
            ) from error
        peer = connected.getpeername()[0].removeprefix("::ffff:").partition("%")[0]
        self.loopback = ipaddress.ip_address(peer).is_loopback
        """True if the listener is on this machine."""
        self._link = Link(connected, MOST_ANSWER)
        self._answers: dict[int, deque[JsonObject]] = {}
        self._next = 0
        try:
            self._link.put({"do": "hello", "version": VERSION, "token": token})
            hello = self._link.wait(CONNECT_S)
            if hello is None:
                raise LinkError(f"no answer within {CONNECT_S:.0f} s")
        except LinkError as error:
            self._link.close()
            raise UserError(
                f"--peer {self._who}: {error}; is a listener there, and no other publisher?"
            ) from error
        if hello.get("version") != VERSION or type(hello.get("memory")) is not int:
            self._link.close()
            raise UserError(f"--peer {self._who}: {plain(hello.get('failure', 'no listener'))}")
        self.memory: int = hello["memory"]
        """Bytes that it has available."""
        about = hello.get("environment")
        try:
            walls = self._walls()
        except LostListenerError as error:
            self._link.close()
            raise UserError(str(error)) from error
        self.about = {
            "host": plain(hello.get("host")),
            "environment": _flat(about) if isinstance(about, dict) else {},
            "wall_minus_monotonic_ns": walls,
        }

    def close(self) -> None:
        with suppress(LinkError):
            self._link.put({"do": "bye"})
        self._link.close()

    def clock(self) -> clocks.ClockReading:
        """Return how far the listener's CLOCK_MONOTONIC is ahead. Raises LostListenerError."""
        return clocks.read(self._ping)

    def _walls(self) -> dict[str, int]:
        """Return what each machine's wall clock is ahead of its CLOCK_MONOTONIC."""
        here = time.time_ns() - time.monotonic_ns()
        clock = self._ask_clock()
        return {"publisher": here, "listener": clock["wall"] - clock["monotonic"]}

    def _ping(self) -> tuple[int, int, int]:
        before = time.monotonic_ns()
        clock = self._ask_clock()
        return before, clock["monotonic"], time.monotonic_ns()

    def _ask_clock(self) -> dict[str, int]:
        self.send({"do": "ping"})
        deadline = Deadline(ANSWER_S)
        while (answer := self._receive(deadline.left)) is not None and "monotonic" not in answer:
            self._put(answer)
        if answer is None:
            raise self._lost(f"no answer within {ANSWER_S:.0f} s")
        for name in ("monotonic", "wall"):
            if type(answer.get(name)) is not int or abs(answer[name]) > NUMBER:
                raise self._lost("that is no reading of a clock")
        return answer

    def end_there(self, contender: TensorContender, role: str, meeting: TensorMeeting) -> RemoteEnd:
        """Start an end there. Raises ProgramFailedError, LostListenerError."""
        number = self._next
        self._next += 1
        self._answers[number] = deque()
        end = RemoteEnd(self, number, f"{contender.name} {role}")
        self.send(
            {
                "do": "start", "worker": number, "way": contender.name, "role": role,
                "size": contender.size, "topic": meeting.topic, "address": meeting.address,
            }
        )  # fmt: skip
        end.receive()
        return end

    def send(self, command: JsonObject) -> None:
        """Send a command. Raises LostListenerError."""
        try:
            self._link.put(command)
        except LinkError as error:
            raise self._lost(error) from error

    def receive(self, number: int, within: float) -> JsonObject | None:
        """Return a worker's next answer, None if none comes in time. Raises LostListenerError."""
        deadline = Deadline(within)
        answers = self._answers[number]
        while not answers:
            answer = self._receive(deadline.left)
            if answer is None:
                return None
            self._put(answer)
        return answers.popleft()

    def forget(self, number: int) -> None:
        self._answers.pop(number, None)

    def _receive(self, within: float) -> JsonObject | None:
        try:
            return self._link.wait(within)
        except LinkError as error:
            raise self._lost(error) from error

    def _put(self, answer: JsonObject) -> None:
        number, content = answer.get("worker"), answer.get("answer")
        if type(number) is not int or not isinstance(content, dict):
            raise self._lost("that is no listener's answer")
        if number in self._answers:  # else of one that was ended
            self._answers[number].append(content)

    def _lost(self, why: object) -> LostListenerError:
        return LostListenerError(f"listener {self._who}: {why}")


class RemoteEnd:
    """End of a contender on the listener's machine; has the methods of a ``Channel``."""

    def __init__(self, remote: Remote, number: int, name: str) -> None:
        self.name = f"{name} (listener)"
        self._remote = remote
        self._number = number

    def send(self, do: str, **more: Any) -> None:
        """Send a command. Raises LostListenerError."""
        self._remote.send({"do": "tell", "worker": self._number, "command": {"do": do, **more}})

    def receive(self, within: float = ANSWER_S) -> JsonObject:
        """Return its next answer.

        Raises ProgramFailedError if none comes or it is a failure; LostListenerError.
        """
        answer = self._remote.receive(self._number, within)
        if answer is None:
            raise ProgramFailedError(f"{self.name}: no answer within {within:.0f} s")
        if answer.get("failure"):
            raise ProgramFailedError(f"listener: {plain(answer['failure'])}")
        return answer

    def ask(self, do: str, within: float = ANSWER_S, **more: Any) -> JsonObject:
        """Send a command, return the answer. Raises ProgramFailedError, LostListenerError."""
        self.send(do, **more)
        return self.receive(within)

    def end(self) -> None:
        """End it and wait for it, since its address may be needed again."""
        with suppress(LostListenerError):
            self._remote.send({"do": "end", "worker": self._number})
            while answer := self._remote.receive(self._number, ANSWER_S):
                if answer.get("done") == "end":
                    break
        self._remote.forget(self._number)


def _flat(about: dict[Any, Any]) -> dict[str, str]:
    """Return what another machine says about itself, as words only."""
    return {plain(name): plain(value) for name, value in list(about.items())[:64]}
