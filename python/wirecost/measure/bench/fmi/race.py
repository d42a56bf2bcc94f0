# SPDX-License-Identifier: Apache-2.0
"""Importers in turns: values by number, messages by size."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import fmpy
from fmpy.fmi1 import FMICallException

from wirecost.measure.bench.fmi.archive import PROGRAM, pack
from wirecost.measure.bench.fmi.fmpy_importer import BUFFERS, METHODS, FmpyMessages, FmpyValues
from wirecost.measure.bench.fmi.importer import CImporter
from wirecost.observe.doctor.environment import environment
from wirecost.results.records.fmi import FmiRace, FmiRun
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

BATCH_NS = 5e5
"""Least time of the exchanges that are timed together."""
CASE_NS = 5e8
"""Most time of a contender in a case: slow ones run in fewer rounds."""
LEAST_ROUNDS = 5
MOST_VALUES, MOST_BYTES = 100_000, 1 << 26
VALUE_BYTES = 8

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

Progress = Callable[[int, int, str], None]


class Running(Protocol):
    def run(self, exchanges: int) -> list[float]: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Contender:
    importer: str
    fmi: int
    name: str
    importer_copies: int
    start: Callable[[], Running]


@dataclass(frozen=True)
class Case:
    """Messages that all contenders exchange; ``parts``: names of the times that they return."""

    kind: str
    number: int
    bytes: int
    parts: tuple[str, ...]
    contenders: list[Contender]

    @property
    def title(self) -> str:
        return f"{self.number:,} {self.kind} of {self.bytes:,} B"


def race(counts: Sequence[int], sizes: Sequence[int], rounds: int, advance: Progress) -> FmiRace:
    """Measure values by number and messages by size. Raises UserError."""
    PROGRAM.check_installed()
    runs: list[FmiRun] = []
    with scratch.folder("fmi") as folder:
        cases = [*_values(folder, counts), *_messages(folder, sizes)]
        for done, case in enumerate(cases):
            advance(done, len(cases), case.title)
            runs += _race(case, rounds)
    where = environment()
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {where['os']}",
        "FMPy": fmpy.__version__,
        **PROGRAM.built(),
    }
    return FmiRace(about=about, runs=runs, absent=ABSENT)


def _values(folder: Path, counts: Sequence[int]) -> Iterator[Case]:
    for kind in dict.fromkeys(kind for _, kind in METHODS):
        for count in counts:
            contenders: list[Contender] = []
            for fmi in (fmi for fmi, its in METHODS if its == kind):
                archive = pack(folder, fmi, kind, count)
                array = ["array"] if (fmi, kind) == (3, "float64") else []
                for calls in ("together", "each", *array):
                    words = ("values", "--fmi", str(fmi), "--type", kind, "--count", str(count))
                    start = partial(CImporter, (*words, "--calls", calls))
                    contenders.append(Contender(C, fmi, calls, 0, start))
                buffers = ["buffers"] if (fmi, kind) in BUFFERS else []
                copies = {"string": 2, "binary": 2}.get(kind, 0)
                for calls in ("together", "each", *buffers):
                    start_fmpy = partial(FmpyValues, archive, fmi, kind, count, VALUE_BYTES, calls)
                    contenders.append(Contender(FMPY, fmi, calls, copies, start_fmpy))
            yield Case(kind, count, VALUE_BYTES, ("get", "set"), contenders)


def _messages(folder: Path, sizes: Sequence[int]) -> Iterator[Case]:
    archive = pack(folder, 3)
    for size in sizes:
        contenders = []
        for importer, fmi, carrier, copies in CARRIERS:
            words = ("messages", "--fmi", str(fmi), "--carrier", carrier, "--bytes", str(size))
            start: Callable[[], Running] = partial(CImporter, words)
            if importer == FMPY:
                start = partial(FmpyMessages, archive, carrier, size)
            contenders.append(Contender(importer, fmi, carrier, copies, start))
        yield Case("message", 1, size, ("exchange",), contenders)


def _race(case: Case, rounds: int) -> list[FmiRun]:
    """Let contenders take turns, in another order in each round."""
    order = random.Random(1)
    samples: list[list[list[float]]] = [[] for _ in case.contenders]
    with ExitStack() as stack:
        running: list[Running] = []
        planned: list[tuple[int, int]] = []
        for contender in case.contenders:
            with _failures_of(contender, case):
                running.append(contender.start())
                stack.callback(running[-1].close)
                planned.append(_planned(running[-1], rounds))
        for round_ in range(rounds):
            turns = [at for at, (_, its) in enumerate(planned) if round_ < its]
            order.shuffle(turns)
            for at in turns:
                with _failures_of(case.contenders[at], case):
                    samples[at].append(running[at].run(planned[at][0]))
    return [
        FmiRun(
            kind=case.kind,
            fmi=contender.fmi,
            importer=contender.importer,
            contender=contender.name,
            number=case.number,
            bytes=case.bytes,
            parts={part: [sample[at] for sample in its] for at, part in enumerate(case.parts)},
            copied_bytes=its[-1][-1],
            importer_copies=contender.importer_copies,
        )
        for contender, its in zip(case.contenders, samples, strict=True)
    ]


@contextmanager
def _failures_of(contender: Contender, case: Case) -> Iterator[None]:
    """Say whose failure it was, and in what."""
    try:
        yield
    except (ProgramFailedError, FMICallException) as error:
        where = f"{contender.importer}, {contender.name}, {case.title}"
        raise UserError(f"{where}: {error}") from error


def _planned(running: Running, rounds: int) -> tuple[int, int]:
    """Return exchanges in a batch, and rounds."""
    exchanges = 1
    while True:
        ns = sum(running.run(exchanges)[:-1]) * exchanges
        if ns >= BATCH_NS:
            return exchanges, min(rounds, max(LEAST_ROUNDS, int(CASE_NS / ns)))
        exchanges *= 2 if ns > BATCH_NS / 8 else 8
