# SPDX-License-Identifier: Apache-2.0
"""One contender in a process of its own, obeying the race that interleaves it with others."""

from __future__ import annotations

import ctypes
import resource
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from wirecost.bench.contenders import Compared
from wirecost.bench.cosimulation import Cosimulation, Message, Values, open_fmu
from wirecost.children import become_child
from wirecost.errors import UserError
from wirecost.records.probe_log import SUFFIX
from wirecost.verification import Canonical, IndependentReader

POISON = 0xA5


@dataclass(frozen=True)
class Assignment:
    """What one worker runs: two FMUs, their parameters, its wire and that wire's schema."""

    source: Path
    sensor: Path
    wire: str
    schema: Path
    source_values: Values
    sensor_values: Values
    compared: Compared = "exact"
    poison_view: bool = True
    """Whether the sensor view may be overwritten: a trace's frames come again."""


@dataclass(frozen=True)
class Verified:
    """Sizes and digests of one step's messages: sensor view and sensor data."""

    sizes: tuple[int, int]
    digests: tuple[str, str]


@dataclass
class Turn:
    """Consecutive measured steps: their numbers and nanoseconds of transfer each."""

    first_step: int
    transfer_ns: list[int]
    peak_memory_bytes: int = 0

    @property
    def next_step(self) -> int:
        return self.first_step + len(self.transfer_ns)


@dataclass
class _Contender:
    assignment: Assignment
    cosimulation: Cosimulation
    reader: IndependentReader
    steps: int = 0
    verified: list[tuple[Canonical, Canonical]] = field(default_factory=list)

    def step(self) -> int:
        self.steps += 1
        return self.cosimulation.step()

    def verify(self) -> Verified:
        """Step, read both messages in full, then poison them so that stale data would show."""
        self.step()
        view, data = self.cosimulation.sensor_view, self.cosimulation.sensor_data
        canonical = (
            self.reader.read("SensorView", view.address, view.size),
            self.reader.read("SensorData", data.address, data.size),
        )
        self.verified.append(canonical)
        if self.assignment.poison_view:
            _poison(view)
        _poison(data)
        return Verified((view.size, data.size), (canonical[0].digest, canonical[1].digest))

    def advance(self, to: int) -> None:
        """Make ``to`` the next step. A trace is played on, for its frames come one by one."""
        if self.assignment.poison_view:
            self.cosimulation.jump(to)
            self.steps = to
        while self.steps < to:
            self.step()

    def canonical(self, index: int) -> tuple[Canonical, Canonical]:
        return self.verified[index]

    def forget(self) -> None:
        self.verified.clear()

    def calibrate(self) -> int:
        """Nanoseconds of a warm step, the quickest of three."""
        samples = []
        for _ in range(4):
            before = time.perf_counter_ns()
            self.step()
            samples.append(time.perf_counter_ns() - before)
        return min(samples[1:])

    def turn(self, warm: int, steps: int) -> Turn:
        for _ in range(warm):
            self.step()
        turn = Turn(self.steps, [self.step() for _ in range(steps)])
        turn.peak_memory_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return turn

    def finish(self) -> None:
        self.cosimulation.close()


def _poison(message: Message) -> None:
    ctypes.memset(message.address, POISON, message.size)


def serve(connection: Connection, assignment: Assignment) -> None:
    """The worker's main function: answer (number, method, arguments) until the race hangs up."""
    become_child()
    try:
        cosimulation = Cosimulation(open_fmu(assignment.source), open_fmu(assignment.sensor))
        cosimulation.start(assignment.source_values, assignment.sensor_values)
        _check_logs(Path(str(assignment.sensor_values["log_folder"])))
        contender = _Contender(
            assignment, cosimulation, IndependentReader(assignment.wire, assignment.schema)
        )
    except Exception as error:
        with suppress(OSError):
            connection.send((0, False, _reason(error)))
        return
    with suppress(EOFError, OSError):  # hung up, perhaps with an answer unread
        connection.send((0, True, None))
        while True:
            number, method, arguments = connection.recv()
            try:
                answer = True, getattr(contender, method)(*arguments)
            except Exception as error:
                answer = False, _reason(error)
            connection.send((number, *answer))


def _check_logs(folder: Path) -> None:
    """Models do not say before their end that they cannot log. Raises UserError."""
    if len(list(folder.glob(f"*{SUFFIX}"))) < 2:
        raise UserError(f"{folder}: has no room for the models' logs; make room")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) if isinstance(error, UserError | ValueError) else f"{error!r}"


class WorkerFailedError(Exception):
    """A contender cannot go on; the message says why."""


class Worker:
    """A handle on a worker process. Every call raises WorkerFailedError if it fails or dies."""

    def __init__(self, assignment: Assignment) -> None:
        context = get_context("spawn")
        self._calls = 0
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, assignment), daemon=True)
        # Ctrl-C is for the race; the process keeps this mask.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
        theirs.close()
        self._receive()

    def verify(self) -> Verified:
        result: Verified = self._call("verify")
        return result

    def advance(self, to: int) -> None:
        self._call("advance", to)

    def canonical(self, index: int) -> tuple[Canonical, Canonical]:
        result: tuple[Canonical, Canonical] = self._call("canonical", index)
        return result

    def forget(self) -> None:
        self._call("forget")

    def calibrate(self) -> int:
        return int(self._call("calibrate"))

    def turn(self, warm: int, steps: int) -> Turn:
        result: Turn = self._call("turn", warm, steps)
        return result

    def finish(self) -> None:
        """Let the models write their logs."""
        self._call("finish")

    def close(self) -> None:
        self._connection.close()
        self._process.join(timeout=10)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _call(self, method: str, *arguments: Any) -> Any:
        self._calls += 1
        try:
            self._connection.send((self._calls, method, arguments))
        except OSError as error:
            raise WorkerFailedError(self._death()) from error
        return self._receive()

    def _receive(self) -> Any:
        number = -1
        # A call that was interrupted has left its answer unread.
        while number != self._calls:
            try:
                number, ok, value = self._connection.recv()
            except (EOFError, OSError) as error:
                raise WorkerFailedError(self._death()) from error
        if not ok:
            raise WorkerFailedError(value)
        return value

    def _death(self) -> str:
        self._process.join(timeout=5)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}"
