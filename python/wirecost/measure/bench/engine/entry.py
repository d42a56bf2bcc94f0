# SPDX-License-Identifier: Apache-2.0
"""Results of a contender in a case: its samples, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from wirecost.results.records.journal import Cell, Journal, Run

C = TypeVar("C")
Facts = dict[str, Any]
"""Facts about a contender for ``meta.json``, by name."""


def named(case: str, contender: str) -> Facts:
    """Return who a contender is, where cases have no variants and builds."""
    return {"case": case, "variant": "", "build": "release", "contender": contender}


@dataclass(frozen=True)
class StageSample:
    """Time of one stage of one repetition; ``key``: the contender's."""

    key: str
    repetition: int
    stage: str
    ns: float
    """Nanoseconds per message."""
    process: int = 0
    """Number of the contender's process that took it."""


@dataclass
class Entry(Generic[C]):
    """Contender that takes part in a case.

    Its record in ``meta.json`` has ``who``, ``facts``, ``message_bytes``, ``message_digest`` and
    ``failure``; ``who`` and the bytes are columns of its samples as well.
    """

    key: str
    """Its name within the case."""
    contender: C
    who: Facts
    facts: Facts = field(default_factory=dict)
    bytes: float | None = 0
    """Size of a message, 0 where nothing is sent; None where ``facts`` has several sizes."""
    digest: str = ""
    """Digest of what was sent or computed: contenders that did the same work have the same."""
    failure: str | None = None
    """Reason why it is not measured, or its samples do not count."""
    missing: str | None = None
    """Reason why it does not take part on this machine."""
    logs: Path | None = None
    """The folder with logs of its steps, from which their stages are taken."""
    rival: bool | None = None
    """Whether the best of the contenders like it is a yardstick; None: the schema says it."""
    samples: int = 0
    """Rows and steps so far."""
    _rows: dict[str, list[Cell]] = field(default_factory=dict)
    _steps: list[tuple[int, int, list[int]]] = field(default_factory=list)
    _run: Run | None = None
    _kept: Facts | None = None

    @contextmanager
    def failing(self, *kinds: type[Exception]) -> Iterator[None]:
        """Let an exception of these kinds become its failure."""
        try:
            yield
        except kinds as error:
            self.failure = str(error)

    def row(self, **cells: Cell) -> None:
        """Add a sample, which has the same cells as the others, ``stage`` and ``ns`` among them."""
        self.table({name: [cell] for name, cell in cells.items()})

    def table(self, columns: Mapping[str, Sequence[Cell]]) -> None:
        """Add samples by column."""
        for name, cells in columns.items():
            self._rows.setdefault(name, []).extend(cells)
        self.samples += len(columns["ns"])

    def steps(self, process: int, first: int, transfer_ns: list[int]) -> None:
        """Add consecutive samples whose stages are in ``logs``; see ``Run.steps``."""
        self._steps.append((process, first, transfer_ns))
        self.samples += len(transfer_ns)

    def keep(self, journal: Journal) -> None:
        """Write the samples since the last call, which the journal's flush puts on disk."""
        self.close(journal)
        # First taken, then written: an interruption between the two must not write them twice.
        rows, steps, self._rows, self._steps = self._rows, self._steps, {}, []
        if self._run is not None:
            self._run.table(rows)
            for turn in steps:
                self._run.steps(*turn)

    def close(self, journal: Journal) -> None:
        """Write the contender's record as it is now, without samples of an unfinished round."""
        record = None if self.missing else self._record()
        if self._run is None and record is not None:
            columns = self.who if self.bytes is None else {**self.who, "bytes": self.bytes}
            self._run = journal.run(record, columns, self.logs)
        elif self._run is not None and record != self._kept:
            self._run.about(record)
        self._kept = record

    def _record(self) -> Facts:
        message = {"message_bytes": self.bytes, "message_digest": self.digest}
        sent = {} if self.bytes is None else message
        rival = {} if self.rival is None else {"rival": self.rival}
        return {**self.who, **sent, **rival, **self.facts, "failure": self.failure}
