# SPDX-License-Identifier: Apache-2.0
"""The process of one contender: does what the race asks, step by step."""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

from fmpy.fmi1 import FMICallException

from wirecost.allocation import malloc_file
from wirecost.bench.osi.cosimulation import Cosimulation
from wirecost.bench.osi.fmu import Message, Values, open_fmu
from wirecost.errors import UserError
from wirecost.verification import Canonical, IndependentReader

POISON = 0xA5
PR_SET_THP_DISABLE = 41


@dataclass(frozen=True)
class Assignment:
    """What one worker runs: two FMUs, their parameters, its wire and that wire's schema."""

    source: Path
    sensor: Path
    wire: str
    schema: Path
    source_values: Values
    sensor_values: Values
    allocator: str = ""
    """One of ``allocators.NAMED``; else the one with which the race was started."""
    small_pages: bool = False
    """Whether the kernel is to give it no huge pages, whatever it asks for."""
    poison_view: bool = True
    """Whether the sensor view may be overwritten: a trace's frames come again."""

    def in_process(self, number: int) -> Assignment:
        """The same with a folder for that process's logs."""
        folder = self.logs / str(number)
        folder.mkdir(parents=True)
        where = {"log_folder": str(folder)}
        return replace(
            self,
            source_values={**self.source_values, **where},
            sensor_values={**self.sensor_values, **where},
        )

    @property
    def logs(self) -> Path:
        return Path(str(self.sensor_values["log_folder"]))


@dataclass(frozen=True)
class Verified:
    """Of one step's messages: sensor view and sensor data."""

    sizes: tuple[int, int]
    digests: tuple[str, str]
    """Of the content, as the independent reader found it."""
    fingerprints: tuple[str, str]
    """Of the bytes: equal ones need not be read again."""
    read_sum: int = 0
    """Of all reflections that the sensor read, where it was asked to read all."""


@dataclass
class Turn:
    """Consecutive measured steps: their numbers and nanoseconds of transfer each."""

    first_step: int
    transfer_ns: list[int]
    peak_memory_bytes: int = 0
    ns: int = 0
    """Of all its steps, unmeasured ones too."""
    beside_ns: int = 0
    """Processor time of other threads, since the turn before."""

    @property
    def next_step(self) -> int:
        return self.first_step + len(self.transfer_ns)


@dataclass(frozen=True)
class _Read:
    """A message; ``canonical`` is None where the digest was known."""

    fingerprint: str
    digest: str
    canonical: Canonical | None


@dataclass
class _Contender:
    assignment: Assignment
    cosimulation: Cosimulation
    reader: IndependentReader
    own_threads: list[int]
    """Those that were there before any model, such as an allocator's that adds memory."""
    steps: int = 0
    others_ns: int = 0
    """Processor time of other threads by the last turn."""
    verified: list[tuple[Canonical | None, Canonical | None]] = field(default_factory=list)

    def step(self) -> int:
        self.steps += 1
        return self.cosimulation.step()

    def verify(self, read: dict[str, str]) -> Verified:
        """Step and ``look``."""
        self.step()
        return self.look(read)

    def look(self, read: dict[str, str]) -> Verified:
        """Reads both messages of the last step in full unless ``read`` has the digest of such
        bytes, then poisons them so that stale data would show."""
        view, data = self.cosimulation.sensor_view, self.cosimulation.sensor_data
        one = self._read("SensorView", view, read)
        other = self._read("SensorData", data, read)
        self.verified.append((one.canonical, other.canonical))
        if self.assignment.poison_view:
            _poison(view)
        _poison(data)
        return Verified(
            (view.size, data.size),
            (one.digest, other.digest),
            (one.fingerprint, other.fingerprint),
            self.cosimulation.read_sum,
        )

    def again(self, steps: int) -> list[tuple[str, str]]:
        """Fingerprints of both messages of the first frames, made once more."""
        self.cosimulation.jump(0)
        found = []
        for _ in range(steps):
            self.step()
            both = self.cosimulation.sensor_view, self.cosimulation.sensor_data
            found.append((_fingerprint(both[0]), _fingerprint(both[1])))
        return found

    def _read(self, name: str, message: Message, read: dict[str, str]) -> _Read:
        fingerprint = _fingerprint(message)
        if fingerprint in read:
            return _Read(fingerprint, read[fingerprint], None)
        canonical = self.reader.read(name, message.address, message.size)
        return _Read(fingerprint, canonical.digest, canonical)

    def advance(self, to: int) -> None:
        """Make ``to`` the next step, step by step."""
        while self.steps < to:
            self.step()

    def canonical(self, index: int) -> tuple[Canonical | None, Canonical | None]:
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
        # What libraries do beside at their start is done by now.
        self.others_ns = _others_ns(self.own_threads)
        return min(samples[1:])

    def turn(self, warm: int, steps: int, last: int) -> Turn:
        """``last``: number of the frame that it ends with, unless a trace's frames come anyway."""
        if self.assignment.poison_view:
            self.cosimulation.jump(last + 1 - steps - warm)
        begin = time.perf_counter_ns()
        for _ in range(warm):
            self.step()
        turn = Turn(self.steps, [self.step() for _ in range(steps)])
        turn.ns = time.perf_counter_ns() - begin
        former, self.others_ns = self.others_ns, _others_ns(self.own_threads)
        turn.beside_ns = self.others_ns - former
        turn.peak_memory_bytes = _peak_memory_bytes()
        return turn

    def finish(self) -> None:
        try:
            self.cosimulation.close()
        except (FMICallException, OSError) as error:
            logs = self.assignment.logs
            raise UserError(
                f"{logs}: the models' logs could not be written ({error}); make room"
            ) from error


def _peak_memory_bytes() -> int:
    """Not getrusage's, which has that of the process that started this one."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmHWM":
            return int(value.split()[0]) * 1024
    return 0


def _others_ns(own: list[int]) -> int:
    """Processor time of all threads but this one and ``own``."""
    return time.process_time_ns() - time.thread_time_ns() - sum(map(_thread_ns, own))


def _thread_ns(thread: int) -> int:
    """Processor time of a thread of this process, by the clock that Linux numbers so
    (``pthread_getcpuclockid`` wants a handle, which nobody has of a library's thread)."""
    return time.clock_gettime_ns((~thread << 3) | 6)


def _other_threads() -> list[int]:
    """Those of this process, without this one."""
    threads = (int(path.name) for path in Path("/proc/self/task").iterdir())
    return [thread for thread in threads if thread != os.getpid()]


def _fingerprint(message: Message) -> str:
    content = (ctypes.c_char * message.size).from_address(message.address)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _refuse_huge_pages() -> None:
    """For this process, from now on. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel cannot deny huge pages to a process")


def _poison(message: Message) -> None:
    ctypes.memset(message.address, POISON, message.size)


def serve(descriptor: int) -> None:
    """The worker's main function: receive an Assignment, then answer (number, method, arguments)
    until the race hangs up. ``descriptor``: of a socket that is the race's and ours alone."""
    connection = Connection(descriptor)
    try:
        assignment: Assignment = connection.recv()
    except (EOFError, OSError):  # the command was ended
        return
    try:
        own_threads = _other_threads()
        if assignment.small_pages:
            _refuse_huge_pages()
        cosimulation = Cosimulation(open_fmu(assignment.source), open_fmu(assignment.sensor))
        cosimulation.start(assignment.source_values, assignment.sensor_values)
        contender = _Contender(
            assignment,
            cosimulation,
            IndependentReader(assignment.wire, assignment.schema),
            own_threads,
        )
    except Exception as error:
        with suppress(OSError):
            connection.send((0, False, _reason(error)))
        return
    with suppress(EOFError, OSError):  # hung up, perhaps with an answer unread
        connection.send((0, True, malloc_file()))
        while True:
            number, method, arguments = connection.recv()
            try:
                answer = True, getattr(contender, method)(*arguments)
            except Exception as error:
                answer = False, _reason(error)
            connection.send((number, *answer))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) if isinstance(error, UserError | ValueError) else f"{error!r}"
