# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: programs that were installed with the package, and what they print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirecost.bench.codec import Codec
from wirecost.bench.entry import Sample
from wirecost.bench.program import Program, Report, only, rounds, samples
from wirecost.bench.repeated.content import Content

MEASURED, COUNTED = Program("repeated_measured"), Program("repeated_counted")


@dataclass(frozen=True)
class Field:
    """A field of a list: its path in the schema, its type as NumPy names it, and the largest
    absolute error that the reduced contender states, 0 if it must be exact."""

    name: str
    type: str
    error: float


@dataclass(frozen=True)
class RepeatedField:
    """``message`` holds the list as its field number ``rows``."""

    name: str
    message: str
    rows: int
    fields: tuple[Field, ...]


class Contender(Codec):
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
class Values:
    """A list with the file that holds its values."""

    schema: RepeatedField
    count: int
    path: Path

    def arguments(self) -> list[str]:
        return [
            *("--list", self.schema.name, "--content", str(self.path)),
            *("--count", str(self.count)),
        ]


def lists() -> dict[str, RepeatedField]:
    """All lists by name."""
    found: dict[str, RepeatedField] = {}
    for name, message, rows, field, type_, error in MEASURED.rows("fields"):
        before = found[name].fields if name in found else ()
        fields = (*before, Field(field, type_, float(error)))
        found[name] = RepeatedField(name, message, int(rows), fields)
    return found


def contenders(name: str) -> list[Contender]:
    return [Contender(*row) for row in MEASURED.rows("list", "--list", name)]


def carry(values: Values, folder: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Key, message and decoded values of every contender, twice, over poisoned memory."""
    for line in MEASURED.lines("verify", *values.arguments(), "--out", str(folder)):
        key, name = line.split("\t")
        encoded, decoded = folder / f"{name}.encoded", folder / f"{name}.decoded"
        yield key, encoded.read_bytes(), decoded.read_bytes()
        encoded.unlink()
        decoded.unlink()


def measure(
    values: Values, keys: list[str], repetitions: int, sums: dict[str, int], report: Report
) -> Iterator[list[Sample]]:
    """Samples, all of a repetition together. Puts into ``sums`` what each contender's reading added
    up to when it was timed."""
    options = [*values.arguments(), "--repetitions", str(repetitions), *only(keys)]
    return rounds(samples(MEASURED.lines("measure", *options), sums), report)


def allocations(values: Values, keys: list[str]) -> dict[str, float]:
    """Allocations per message, encoding and decoding together."""
    rows = COUNTED.rows("count", *values.arguments(), *only(keys))
    return {key: float(count) for key, count in rows}


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
