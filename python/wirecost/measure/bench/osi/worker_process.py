# SPDX-License-Identifier: Apache-2.0
"""Process of one contender, driven by a ``Channel``: does what the race asks, step by step."""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
from fmpy.fmi1 import FMICallException

from wirecost.measure.bench.osi.fmu import Cosimulation, OsmpMessage, Values, open_fmu
from wirecost.measure.bench.osi.verification import Canonical, IndependentReader
from wirecost.system.allocation import malloc_file
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import drive
from wirecost.system.errors import UserError

POISON = 0xA5
PR_SET_THP_DISABLE = 41


@dataclass(frozen=True)
class Assignment:
    """Work of one worker: two FMUs, their parameters, its wire and that wire's schema."""

    source: Path
    sensor: Path
    wire: str
    schema: Path
    source_values: Values
    sensor_values: Values
    allocator: str = ""
    """Name in ``allocators.NAMED``; empty for the allocator with which the race was started."""
    small_pages: bool = False
    """True if the kernel is to give it no huge pages, whatever it asks for."""
    poison_view: bool = True
    """True if the sensor view may be overwritten; a trace's frames come again."""

    def in_process(self, number: int) -> Assignment:
        """Return the same with a folder for that process's logs."""
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
    """Sizes, digests and fingerprints of one step's messages: sensor view and sensor data."""

    sizes: tuple[int, int]
    digests: tuple[str, str]
    """Digests of the content, as the independent reader read it."""
    fingerprints: tuple[str, str]
    """Digests of the bytes: equal ones need not be read again."""
    read_sum: int = 0
    """Sum of all reflections that the sensor read, where it was asked to read all."""


@dataclass
class OsiTurn:
    """Consecutive measured steps: their numbers and nanoseconds of transfer each."""

    first_step: int
    transfer_ns: list[int]
    peak_memory_bytes: int = 0
    ns: int = 0
    """Nanoseconds of all its steps, unmeasured ones too."""
    beside_ns: int = 0
    """Processor time of other threads, since the turn before."""

    @property
    def next_step(self) -> int:
        return self.first_step + len(self.transfer_ns)


@dataclass(frozen=True)
class _ReadMessage:
    """Message as it was read; ``canonical`` is None where the digest was there."""

    fingerprint: str
    digest: str
    canonical: Canonical | None


class ContenderModels:
    """Two models of a contender. Methods are commands: what they return is answered."""

    def __init__(self) -> None:
        self._assignment: Assignment
        self._cosimulation: Cosimulation
        self._reader: IndependentReader
        self._own_threads: list[int] = []
        """Threads that were there before any model, such as an allocator's that adds memory."""
        self._steps = 0
        self._others_ns = 0
        """Processor time of other threads by the last turn."""
        self._verified: list[tuple[Canonical | None, Canonical | None]] = []

    def do(self, command: JsonObject) -> JsonObject:
        """Carry out a command. Raises UserError."""
        name = command.pop("do")
        try:
            answer = getattr(self, name)(**command)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise UserError(f"{where}{error.strerror or error}") from error
        except ValueError as error:
            raise UserError(str(error)) from error
        return {"done": name, "answer": answer}

    def open(self, assignment: JsonObject) -> str | None:
        """Load the models; return the file that malloc lies in."""
        self._own_threads = _other_threads()
        self._assignment = work = msgspec.convert(
            assignment, Assignment, dec_hook=lambda kind, text: kind(text)
        )
        if work.small_pages:
            _refuse_huge_pages()
        self._cosimulation = Cosimulation(open_fmu(work.source), open_fmu(work.sensor))
        self._cosimulation.start(work.source_values, work.sensor_values)
        self._reader = IndependentReader(work.wire, work.schema)
        return malloc_file()

    def verify(self, read: dict[str, str]) -> JsonObject:
        """Make a step and ``look``."""
        self._step()
        return self.look(read)

    def look(self, read: dict[str, str]) -> JsonObject:
        """Read both messages of the last step in full, unless ``read`` has their digests.

        Then poison them so that stale data would show.
        """
        view, data = self._messages()
        view_read, data_read = (
            self._read(name, message, read)
            for name, message in (("SensorView", view), ("SensorData", data))
        )
        self._verified.append((view_read.canonical, data_read.canonical))
        if self._assignment.poison_view:
            _poison(view)
        _poison(data)
        return asdict(
            Verified(
                (view.size, data.size),
                (view_read.digest, data_read.digest),
                (view_read.fingerprint, data_read.fingerprint),
                self._cosimulation.read_sum,
            )
        )

    def again(self, steps: int) -> list[list[str]]:
        """Make the first frames once more; return the fingerprints of both messages of each."""
        self._cosimulation.jump(0)
        fingerprints = []
        for _ in range(steps):
            self._step()
            fingerprints.append([_fingerprint(message) for message in self._messages()])
        return fingerprints

    def advance(self, to: int) -> None:
        """Make ``to`` the next step, step by step."""
        while self._steps < to:
            self._step()

    def canonical(self, step: int, which: int, path: str) -> bool:
        """Write the canonical form of a verified message into a file; return if it was read."""
        canonical = self._verified[step][which]
        if canonical is not None:
            Path(path).write_bytes(canonical.content)
        return canonical is not None

    def forget(self) -> None:
        """Give back the memory of what was verified."""
        self._verified.clear()

    def calibrate(self) -> int:
        """Return the nanoseconds of a warm step, the quickest of three."""
        samples = []
        for _ in range(4):
            before = time.perf_counter_ns()
            self._step()
            samples.append(time.perf_counter_ns() - before)
        # By now libraries have done what they do beside at their start.
        self._others_ns = _others_ns(self._own_threads)
        return min(samples[1:])

    def turn(self, warm: int, steps: int, last: int) -> JsonObject:
        """Take a turn.

        ``last``: number of the frame that it ends with, unless a trace's frames come anyway.
        """
        if self._assignment.poison_view:
            self._cosimulation.jump(last + 1 - steps - warm)
        begin = time.perf_counter_ns()
        for _ in range(warm):
            self._step()
        turn = OsiTurn(self._steps, [self._step() for _ in range(steps)])
        turn.ns = time.perf_counter_ns() - begin
        former, self._others_ns = self._others_ns, _others_ns(self._own_threads)
        turn.beside_ns = self._others_ns - former
        turn.peak_memory_bytes = _peak_memory_bytes()
        return asdict(turn)

    def end_models(self) -> None:
        """Let the models write their logs."""
        try:
            self._cosimulation.close()
        except (FMICallException, OSError) as error:
            logs = self._assignment.logs
            raise UserError(
                f"{logs}: the models' logs could not be written ({error}); make room"
            ) from error

    def close(self) -> None:
        """Do nothing: models whose logs nobody asked for are left as they are."""

    def _step(self) -> int:
        self._steps += 1
        return self._cosimulation.step()

    def _messages(self) -> tuple[OsmpMessage, OsmpMessage]:
        return self._cosimulation.sensor_view, self._cosimulation.sensor_data

    def _read(self, name: str, message: OsmpMessage, read: dict[str, str]) -> _ReadMessage:
        fingerprint = _fingerprint(message)
        if fingerprint in read:
            return _ReadMessage(fingerprint, read[fingerprint], None)
        canonical = self._reader.read(name, message.address, message.size)
        return _ReadMessage(fingerprint, canonical.digest, canonical)


def _peak_memory_bytes() -> int:
    """Return this process's peak; getrusage has that of the process that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmHWM":
            return int(value.split()[0]) * 1024
    return 0


def _others_ns(own: list[int]) -> int:
    """Return the processor time of all threads but this one and ``own``."""
    return time.process_time_ns() - time.thread_time_ns() - sum(map(_thread_ns, own))


def _thread_ns(thread: int) -> int:
    """Return the processor time of a thread of this process, by its clock's number in Linux.

    ``pthread_getcpuclockid`` wants a handle, which nobody has of a library's thread.
    """
    return time.clock_gettime_ns((~thread << 3) | 6)


def _other_threads() -> list[int]:
    """Return the other threads of this process."""
    threads = (int(path.name) for path in Path("/proc/self/task").iterdir())
    return [thread for thread in threads if thread != os.getpid()]


def _fingerprint(message: OsmpMessage) -> str:
    content = (ctypes.c_char * message.size).from_address(message.address)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _refuse_huge_pages() -> None:
    """Refuse them for this process, from now on. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel cannot deny huge pages to a process")


def _poison(message: OsmpMessage) -> None:
    ctypes.memset(message.address, POISON, message.size)


if __name__ == "__main__":
    drive(lambda _: ContenderModels())
