# SPDX-License-Identifier: Apache-2.0
"""Interface of a language's contenders; each language has a folder here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wirecost.data.messages.content_file import read_content
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.contender import Contender

SENT = "sent"
"""Word in place of a stage: a message as it was sent while it was timed."""
END = "end"
"""Word before the status and the errors of a job of the Python contenders."""


@dataclass(frozen=True)
class Carried:
    """Messages as a contender sent them, and as it sent them again once it had read them.

    The latter are None where its mode reads without making a message.
    """

    sent: list[bytes]
    back: list[bytes] | None


@dataclass(frozen=True)
class Timed:
    """A message as it was sent while it was timed, and as it should be on the subject's wire.

    ``back``: the same as it was read, None where nobody can say.
    """

    sent: bytes
    expected: bytes
    back: bytes | None = None


@dataclass(frozen=True)
class MessageCounts:
    """Allocations and instructions per message; None where they cannot be counted."""

    allocations: float | None = None
    instructions: float | None = None


@dataclass(frozen=True)
class LaterContenders:
    """Contenders that compile for long.

    ``compile``: a function that compiles them, within so many seconds, and calls the one it gets
    with what it does; ``missing`` has those that cannot be had then.
    """

    contenders: Sequence[Contender]
    compile: Callable[[Callable[[str], None], float], None]


class MessageBackend(Protocol):
    """Contents are files of ``content_file``. Methods raise ProgramFailedError."""

    lang: str
    missing: dict[str, str]
    """Libraries that cannot be had here, and why."""
    environment: dict[str, str]
    """Compiler and flags, where there are any."""
    most_s: float
    """Seconds after which a process of it begins no further sample."""

    def contenders(self) -> list[Contender]: ...

    def later(self) -> LaterContenders | None:
        """Return those that are yet to be compiled, if there are any."""
        ...

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        """Return the messages that the contender's program carries, by mode.

        ``folder`` is for files, which are read and removed.
        """
        ...

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        """Measure the contents in turns; ``keys``: of the entries, one for each content."""
        ...

    def counted(self, contender: Contender, content: Path) -> MessageCounts:
        """Count what the contender does for a message."""
        ...


def taken_from(folder: Path) -> dict[str, Carried]:
    """Return the messages that a program left in a folder, by mode."""
    by_mode = {}
    for sent in folder.glob("*.sent"):
        back = sent.with_suffix(".back")
        again = read_content(back) if back.is_file() else None
        by_mode[sent.stem] = Carried(read_content(sent), again)
        sent.unlink()
        back.unlink(missing_ok=True)
    return by_mode


def sampled(lines: Iterator[str], keys: Sequence[str]) -> Iterator[StageSample | Timed]:
    """Read the lines of a program.

    A line has content, repetition, stage and nanoseconds; or, for a message that was timed, its
    bytes, what they should be and, where the program can say, what was read.
    """
    for line in lines:
        at, repetition, stage, *values = line.split("\t")
        if stage == SENT:
            yield Timed(*map(bytes.fromhex, values))
        else:
            (ns,) = values
            yield StageSample(keys[int(at)], int(repetition), stage, float(ns))
