# SPDX-License-Identifier: Apache-2.0
"""The process of one contender: does what the race asks, step by step."""

from __future__ import annotations

import ctypes
import resource
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from wirecost.bench.osi.cosimulation import Cosimulation
from wirecost.bench.osi.fmu import Message, Values, open_fmu
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
    """Models report only at their end that they cannot log. Raises UserError."""
    if len(list(folder.glob(f"*{SUFFIX}"))) < 2:
        raise UserError(f"{folder}: no room for the models' logs; make room")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) if isinstance(error, UserError | ValueError) else f"{error!r}"
