# SPDX-License-Identifier: Apache-2.0
"""Importers in turns: values by number, messages by size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

import fmpy
from fmpy.fmi1 import FMICallException

from wirecost.measure.bench.engine.entry import Entry, named
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.turns import take_turns
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

from .archive import PROGRAM, pack
from .fmpy_importer import BUFFERS, METHODS, FmpyMessages, FmpyValues
from .importer import CImporter
from .settings import Settings

BATCH_NS = 5e5
"""Least time of the exchanges that are timed together."""
VALUE_BYTES = 8
PARTS = ("get", "set")

C, FMPY = "C", "FMPy"
FLOOR = "none"
CARRIERS: tuple[tuple[str, int, str, int], ...] = (
    (C, 3, FLOOR, 0),
    (C, 2, "osmp", 0),
    (C, 3, "osmp", 0),
    (C, 3, "binary", 0),
    (C, 3, "clocked", 0),
    (C, 3, "memory-1", 0),
    (C, 3, "memory-2", 0),
    (C, 3, "memory-3", 0),
    (C, 3, "memory-2-memfd", 0),
    (C, 3, "binary-processes", 2),
    (C, 3, "memory-2-processes", 0),
    (C, 3, "memory-2-memfd-processes", 0),
    (C, 3, "binary-parallel-processes", 2),
    (C, 3, "memory-2-parallel-processes", 0),
    (FMPY, 3, "osmp", 0),
    (FMPY, 3, "binary", 2),
    (FMPY, 3, "clocked", 2),
    (FMPY, 3, "memory-2", 0),
)
"""Importer, FMI, carrier, and the copies that the importer makes, the kernel's included.

A socket copies in and out; FMPy's getBinary makes bytes, and its setBinary a bytearray of them."""
ABSENT = {"OMSimulator": "its package on PyPI has no program: setup.py downloads one elsewhere"}


class Running(Protocol):
    def run(self, exchanges: int) -> list[float]: ...
    def close(self) -> None: ...


@dataclass
class Contender:
    """Way of exchanging, by an importer; once it runs, with the exchanges of a batch."""

    importer: str
    fmi: int
    name: str
    importer_copies: int
    start: Callable[[], Running]
    parts: tuple[str, ...] = ()
    """Names of the times that it returns."""
    running: Running | None = None
    exchanges: int = 1
    copied_bytes: float = field(default=0.0)

    def prepare(self, stack: ExitStack) -> None:
        """Start it, and find how many exchanges make a batch."""
        with _as_failure():
            self.running = self.start()
            stack.callback(self.running.close)
            while (ns := sum(self.batch().values()) * self.exchanges) < BATCH_NS:
                self.exchanges *= 2 if ns > BATCH_NS / 8 else 8

    def batch(self) -> Mapping[str, float]:
        """Return the nanoseconds of each part of an exchange, by the mean of a batch."""
        assert self.running is not None
        with _as_failure():
            *times, self.copied_bytes = self.running.run(self.exchanges)
        return dict(zip(self.parts, times, strict=True))


@dataclass(frozen=True)
class Exchanges:
    """Messages or values that all contenders exchange."""

    kind: str
    number: int
    bytes: int
    contenders: list[Contender]

    @property
    def title(self) -> str:
        if self.kind == "message":
            return f"message of {self.bytes:,} B"
        return f"{self.number:,} {self.kind}"

    def entry(self, contender: Contender) -> Entry[Contender]:
        key = f"{contender.importer} {contender.fmi} {contender.name}"
        who = named(self.title, contender.name)
        who |= {"variant": contender.importer, "fmi": contender.fmi}
        facts = {
            "kind": self.kind,
            "number": self.number,
            "importer_copies": contender.importer_copies,
            "copied_bytes": 0.0,
        }
        return Entry(key, contender, who, facts, bytes=self.number * self.bytes)


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure values by number and messages by size. Raises UserError."""
    PROGRAM.check_installed()
    with scratch.folder("fmi") as folder:
        cases = [*_values(folder, settings.counts), *_messages(folder, settings.sizes)]
        measurement.about(
            PROGRAM.built(),
            total=settings.rounds * sum(len(case.contenders) for case in cases),
            rounds=settings.rounds,
            seed=settings.seed,
            contenders={C: {"library": "wirecost"}, FMPY: {"library": f"FMPy {fmpy.__version__}"}},
            not_run=ABSENT,
        )
        for exchanges in cases:
            entries = [exchanges.entry(contender) for contender in exchanges.contenders]
            with (
                ExitStack() as stack,
                measurement.case(exchanges.title, entries, settings.rounds) as case,
            ):
                for entry in entries:
                    with entry.failing(ProgramFailedError):
                        entry.contender.prepare(stack)
                        entry.facts["copied_bytes"] = entry.contender.copied_bytes
                take_turns(case, settings.rounds, settings.seed, Contender.batch)


def _values(folder: Path, counts: Sequence[int]) -> Iterator[Exchanges]:
    for kind in dict.fromkeys(kind for _, kind in METHODS):
        for count in counts:
            contenders: list[Contender] = []
            for fmi in (fmi for fmi, its in METHODS if its == kind):
                archive = pack(folder, fmi, kind, count)
                array = ["array"] if (fmi, kind) == (3, "float64") else []
                for calls in ("together", "each", *array):
                    words = ("values", "--fmi", str(fmi), "--type", kind, "--count", str(count))
                    start = partial(CImporter, (*words, "--calls", calls))
                    contenders.append(Contender(C, fmi, calls, 0, start, PARTS))
                buffers = ["buffers"] if (fmi, kind) in BUFFERS else []
                copies = {"string": 2, "binary": 2}.get(kind, 0)
                for calls in ("together", "each", *buffers):
                    start_fmpy = partial(FmpyValues, archive, fmi, kind, count, VALUE_BYTES, calls)
                    contenders.append(Contender(FMPY, fmi, calls, copies, start_fmpy, PARTS))
            yield Exchanges(kind, count, VALUE_BYTES, contenders)


def _messages(folder: Path, sizes: Sequence[int]) -> Iterator[Exchanges]:
    archive = pack(folder, 3)
    for size in sizes:
        contenders = []
        for importer, fmi, carrier, copies in CARRIERS:
            words = ("messages", "--fmi", str(fmi), "--carrier", carrier, "--bytes", str(size))
            start: Callable[[], Running] = partial(CImporter, words)
            if importer == FMPY:
                start = partial(FmpyMessages, archive, carrier, size)
            contenders.append(Contender(importer, fmi, carrier, copies, start, ("exchange",)))
        yield Exchanges("message", 1, size, contenders)


@contextmanager
def _as_failure() -> Iterator[None]:
    """Raise ProgramFailedError for what FMPy raises."""
    try:
        yield
    except FMICallException as error:
        raise ProgramFailedError(str(error)) from error
