# SPDX-License-Identifier: Apache-2.0
"""What the benchmark asks of a language; each has a folder here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wirecost.bench.entry import Sample
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.content_file import read_content


@dataclass(frozen=True)
class Carried:
    """Messages as a contender sent them, and as it sent them again once it had read them; None
    where its mode reads without making a message."""

    sent: list[bytes]
    back: list[bytes] | None


class Backend(Protocol):
    """Contents are files of ``content_file``. Methods raise ProgramFailedError."""

    lang: str
    missing: dict[str, str]
    """Libraries that cannot be had here, and why."""
    environment: dict[str, str]
    """Compiler and flags, where there are any."""

    def contenders(self) -> list[Contender]: ...

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        """By mode; ``folder`` is for files, which are read and removed."""
        ...

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        """``keys``: of the entries, one for each content, which take turns."""
        ...


def taken_from(folder: Path) -> dict[str, Carried]:
    """What a program left there."""
    found = {}
    for sent in folder.glob("*.sent"):
        back = sent.with_suffix(".back")
        again = read_content(back) if back.is_file() else None
        found[sent.stem] = Carried(read_content(sent), again)
        sent.unlink()
        back.unlink(missing_ok=True)
    return found


def sampled(lines: Iterator[str], keys: Sequence[str]) -> Iterator[Sample]:
    """What a program prints: content, repetition, stage, nanoseconds."""
    for line in lines:
        at, repetition, stage, ns = line.split("\t")
        yield Sample(keys[int(at)], int(repetition), stage, float(ns))
