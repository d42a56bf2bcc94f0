# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: a program that was installed with the package, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirecost.bench.contenders import INSTALLED
from wirecost.bench.lists.content import Content
from wirecost.bench.notification import lines
from wirecost.errors import UserError

PROGRAMS = INSTALLED / "programs"

Report = Callable[[int, str], None]
"""Called with the samples taken since the last call and what runs now."""


@dataclass(frozen=True)
class Field:
    """A field of a list: its path in the schema, its type as NumPy names it, and the largest
    absolute error that the reduced contender states, 0 if it must be exact."""

    name: str
    type: str
    error: float


@dataclass(frozen=True)
class List:
    """``message`` holds the list as its field number ``rows``."""

    name: str
    message: str
    rows: int
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Contender:
    name: str
    mode: str
    wire: str
    library: str
    guarantees: str

    @property
    def key(self) -> str:
        return f"{self.name}/{self.mode}"

    @property
    def floor(self) -> bool:
        """A yardstick without a wire."""
        return self.wire == "none"

    @property
    def reduced(self) -> bool:
        return self.name == "columns-reduced"


@dataclass(frozen=True)
class Sample:
    key: str
    repetition: int
    stage: str
    ns: float
    """Nanoseconds a message."""


@dataclass(frozen=True)
class Case:
    """A list with the file that holds its values."""

    schema: List
    count: int
    path: Path

    def arguments(self) -> list[str]:
        return [
            *("--list", self.schema.name, "--content", str(self.path)),
            *("--count", str(self.count)),
        ]


def check_installed() -> None:
    """Raises UserError where the program is missing."""
    if not (PROGRAMS / "lists_measured").is_file():
        raise UserError(
            "the program of the lists is not installed; install wirecost with `make run`"
        )


def built() -> dict[str, str]:
    """Compiler and flags of the program."""
    compiler, flags = next(iter(_run("measured", "built"))).split("\t")
    return {"compiler": compiler, "flags": flags}


def lists() -> dict[str, List]:
    """All lists by name."""
    found: dict[str, List] = {}
    for line in _run("measured", "fields"):
        name, message, rows, field, type_, error = line.split("\t")
        before = found[name].fields if name in found else ()
        fields = (*before, Field(field, type_, float(error)))
        found[name] = List(name, message, int(rows), fields)
    return found


def contenders(name: str) -> list[Contender]:
    return [Contender(*line.split("\t")) for line in _run("measured", "list", "--list", name)]


def carry(case: Case, folder: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Key, message and decoded values of every contender, twice, over poisoned memory."""
    arguments = ("verify", *case.arguments(), "--out", str(folder))
    for line in _run("measured", *arguments):
        key, name = line.split("\t")
        encoded, decoded = folder / f"{name}.encoded", folder / f"{name}.decoded"
        yield key, encoded.read_bytes(), decoded.read_bytes()
        encoded.unlink()
        decoded.unlink()


def measure(
    case: Case, keys: list[str], repetitions: int, sums: dict[str, int], report: Report
) -> Iterator[list[Sample]]:
    """Samples, all of a repetition together. Puts into ``sums`` what each contender's reading added
    up to when it was timed."""
    arguments = [*case.arguments(), "--repetitions", str(repetitions), *_only(keys)]
    samples: list[Sample] = []
    for line in _run("measured", "measure", *arguments):
        key, repetition, stage, value = line.split("\t")
        if stage == "sum":
            sums[key] = int(value)
            continue
        if samples and int(repetition) != samples[0].repetition:
            yield samples
            samples = []
        samples.append(Sample(key, int(repetition), stage, float(value)))
        report(1 if stage == "total" else 0, key)
    yield samples


def allocations(case: Case, keys: list[str]) -> dict[str, float]:
    """Allocations a message, encoding and decoding together."""
    told = (line.split("\t") for line in _run("counted", "count", *case.arguments(), *_only(keys)))
    return {key: float(count) for key, count in told}


def packed(fields: Iterable[Field], content: Content) -> bytes:
    """Values as the program takes and gives them: array after array, little-endian."""
    return b"".join(content[f.name].astype(np.dtype(f"<{f.type}")).tobytes() for f in fields)


def unpacked(fields: Iterable[Field], data: bytes, count: int) -> Content:
    """Raises ValueError if there are more or fewer bytes."""
    found: Content = {}
    at = 0
    for field in fields:
        dtype = np.dtype(f"<{field.type}")
        found[field.name] = np.frombuffer(data, dtype, count, at)
        at += count * dtype.itemsize
    if at != len(data):
        raise ValueError(f"{len(data)} bytes instead of {at}")
    return found


def _only(keys: Iterable[str]) -> list[str]:
    return [part for key in keys for part in ("--contender", key)]


def _run(program: str, *arguments: str) -> Iterator[str]:
    return lines.run([str(PROGRAMS / f"lists_{program}"), *arguments])
