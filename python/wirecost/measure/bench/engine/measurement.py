# SPDX-License-Identifier: Apache-2.0
"""Measuring, as all scenarios do it: metadata, progress, rounds, and the end of a case.

``cli/measuring.py`` makes the result folder of it, whatever ended the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Generic

from wirecost.measure.bench.engine.entry import C, Entry, StageSample
from wirecost.observe.doctor.environment import environment
from wirecost.results.records.journal import Journal
from wirecost.results.records.schemas import SCENARIOS
from wirecost.system.children import ProgramFailedError
from wirecost.system.terminal import Console

Progress = Callable[[int, int, str], None]
"""Called with samples taken, samples in all, and what runs now."""


class Measurement:
    """Scenario while it is measured; ``name``: as result folders call it."""

    def __init__(self, name: str, journal: Journal, progress: Progress) -> None:
        self.journal = journal
        self._name = name
        self.progress = progress
        self._total = self._done = 0

    def about(self, built: dict[str, Any] | None = None, *, total: int, **meta: Any) -> None:
        """Write the metadata of the result folder.

        ``built`` is added to its environment; ``total``: samples of all cases.
        """
        self._total = total
        scenario = SCENARIOS[self._name]
        self.journal.about(
            scenario=self._name,
            declared={
                "title": scenario.title,
                "stages": scenario.stages,
                "baseline": scenario.baseline,
            },
            created=datetime.now().astimezone().isoformat(timespec="seconds"),
            command=sys.argv[1:],
            environment=environment() | (built or {}),
            **meta,
        )

    def report(self, text: str) -> None:
        """Report what runs between samples."""
        self.progress(self._done, max(1, self._total), text)

    def remark(self, text: str) -> None:
        """Print lines that stay on a terminal."""
        self.progress(0, 0, text)

    def note(self, text: str) -> None:
        """Print a line for whoever reads the run's messages, also where they are a file."""
        Console(stderr=True).print(text, soft_wrap=True)

    def revise(self, **meta: Any) -> None:
        """Replace keys of the metadata."""
        self.journal.about(**meta)

    def part_ended(self) -> None:
        """Note that what was measured makes an answer, while the rest takes long."""
        self.journal.after_part()

    @contextmanager
    def case(self, name: str, entries: Sequence[Entry[C]], samples: int = 0) -> Iterator[Case[C]]:
        """Open a case, as long as it is measured; ``samples``: number for each entry.

        Cases that are measured together, round by round, have no ``name``. The contenders' records
        are written whatever ends it. A program that serves all of them fails for all.
        """
        before = self._done

        def report(text: str, count: int) -> None:
            self._done += count
            self.progress(self._done, self._total, f"{name}: {text}" if name else text)

        case = Case(entries, self.journal, report)
        try:
            yield case
        except ProgramFailedError as error:
            for entry in entries:
                entry.failure = entry.failure or str(error)
        finally:
            case.end()
        # Contenders that failed or were out of time took fewer.
        self._done = max(self._done, before + samples * len(entries))


class Case(Generic[C]):
    """One content for several contenders, verified first and then measured in turns."""

    def __init__(
        self, entries: Sequence[Entry[C]], journal: Journal, report: Callable[[str, int], None]
    ) -> None:
        self.entries = entries
        self._journal = journal
        self._report = report

    @property
    def running(self) -> list[Entry[C]]:
        """Return the entries that have not failed."""
        return [entry for entry in self.entries if entry.failure is None]

    def report(self, text: str, samples: int = 0) -> None:
        """Report what runs now, and the samples taken since the last call."""
        self._report(text, samples)

    def keep(self, samples: Iterable[StageSample] = ()) -> None:
        """End a round: its samples count from here on.

        All contenders have been verified before the first one.
        """
        entries = {entry.key: entry for entry in self.entries}
        for sample in samples:
            entries[sample.key].row(
                stage=sample.stage,
                repetition=sample.repetition,
                process=sample.process,
                ns=sample.ns,
            )
        for entry in self.entries:
            entry.keep(self._journal)
        self._journal.flush()
        if all(entry.samples for entry in self.running):
            self._journal.after_round()

    def end(self) -> None:
        """Write the contenders' records; a round that was not ended does not count."""
        for entry in self.entries:
            entry.close(self._journal)
