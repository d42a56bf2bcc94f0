# SPDX-License-Identifier: Apache-2.0
"""Converts many traces into one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.traces.batch.inputs import sources
from wirecost.data.traces.batch.jobs import ConversionJob, Options, jobs
from wirecost.data.traces.batch.journal import ConversionJournal
from wirecost.data.traces.batch.work import ConversionOutcome, convert_job, is_full
from wirecost.data.traces.batch.workers import Workers
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

Report = Callable[[ConversionJob, ConversionOutcome, "ConversionTotals"], None]


@dataclass(frozen=True)
class Resources:
    """Resources that a conversion may take."""

    workers: int = 1
    memory: int | None = None
    """Bytes that each worker may have at most."""


@dataclass
class ConversionTotals:
    """Results of a conversion so far."""

    traces: int
    """Traces of this run and before, in all."""
    input_bytes: int
    finished_before: int = 0
    """Traces that an earlier conversion finished; they are not touched."""
    left_bytes: int = 0
    """Bytes of inputs that are not yet converted."""
    workers: int = 1
    converted: int = 0
    frames: int = 0
    file_bytes: tuple[int, int] = (0, 0)
    """Before and after, of what this run converted."""
    failed: list[tuple[ConversionJob, str]] = field(default_factory=list)
    warnings: list[tuple[ConversionJob, str]] = field(default_factory=list)
    peaks: dict[int, int] = field(default_factory=dict)
    """Bytes of memory that each process had at most, by its number."""
    seconds: float = 0.0
    """Seconds that conversions took, in all processes together."""
    replaced_workers: int = 0

    def add(self, job: ConversionJob, outcome: ConversionOutcome) -> None:
        self.left_bytes -= job.source.size
        self.seconds += outcome.seconds
        if outcome.process:
            self.peaks[outcome.process] = max(outcome.peak, self.peaks.get(outcome.process, 0))
        self.warnings += [(job, warning) for warning in outcome.warnings]
        if outcome.error:
            self.failed.append((job, outcome.error))
            return
        self.converted += 1
        self.frames += outcome.frames
        before, after = outcome.file_bytes
        self.file_bytes = (self.file_bytes[0] + before, self.file_bytes[1] + after)


def convert_many(
    words: Sequence[str],
    folder: Path,
    options: Options,
    resources: Resources,
    report: Report,
    *,
    resume: bool = False,
    force: bool = False,
) -> ConversionTotals:
    """Convert the traces that ``words`` stand for into ``folder``; calls ``report`` after each.

    A trace that cannot be converted is in ``Totals.failed``. Raises UserError, before any work
    starts, on what contradicts itself; later where the disk is full or workers cannot be kept.
    """
    options.check()
    all_jobs = jobs(sources(words), folder, options)
    with ConversionJournal(folder, options) as journal:
        remaining = _left(all_jobs, journal, resume, force)
        totals = ConversionTotals(len(all_jobs), sum(job.source.size for job in all_jobs))
        totals.finished_before = len(all_jobs) - len(remaining)
        totals.left_bytes = sum(job.source.size for job in remaining)
        journal.sweep(journal.begun(remaining))
        totals.workers = max(1, min(resources.workers, len(remaining)))
        workers = Workers(options, totals.workers, resources.memory, journal)
        if totals.workers > 1:
            outcomes = workers.converted(remaining)
        else:
            outcomes = _converted_here(remaining, options, resources.memory, journal)
        by_number = {job.number: job for job in remaining}
        with closing(outcomes):  # type: ignore[type-var]
            try:
                _collect(outcomes, by_number, journal, totals, report)
            except UserError as error:
                if is_full(error):  # the journal's
                    raise _without_room(str(error), folder, totals) from error
                raise
        totals.replaced_workers = workers.replaced
        return totals


def _converted_here(
    remaining: Sequence[ConversionJob],
    options: Options,
    memory: int | None,
    journal: ConversionJournal,
) -> Iterator[ConversionOutcome]:
    """Yield the outcome of each, one after another in this process."""
    for job in remaining:
        journal.begin(job)
        yield convert_job(job, options, memory)


def _left(
    all_jobs: list[ConversionJob], journal: ConversionJournal, resume: bool, force: bool
) -> list[ConversionJob]:
    """Return the jobs to convert.

    Raises UserError where that would replace files that are not ours, or that nobody asked to
    replace.
    """
    if force:
        return all_jobs
    remaining = [job for job in all_jobs if not (resume and journal.is_finished(job))]
    there = [job for job in remaining if job.out.exists() or job.out.is_symlink()]
    foreign = [job for job in there if not (resume and journal.is_ours(job))]
    if foreign:
        what = "is of no earlier conversion" if resume else "exists"
        remedy = "" if resume else ", add --resume to convert what is missing,"
        raise UserError(
            f"{foreign[0].out}: {what}, as do {len(foreign) - 1:,} other outputs; give another "
            f"folder{remedy} or add --force to replace them"
            if len(foreign) > 1
            else f"{foreign[0].out}: {what}; give another folder{remedy} or add --force"
        )
    return remaining


def _collect(
    outcomes: Iterator[ConversionOutcome],
    by_number: dict[int, ConversionJob],
    journal: ConversionJournal,
    totals: ConversionTotals,
    report: Report,
) -> None:
    for outcome in outcomes:
        job = by_number[outcome.number]
        if outcome.too_little:
            raise UserError(outcome.error)
        if outcome.disk_full:
            raise _without_room(outcome.error, journal.folder, totals)
        totals.add(job, outcome)
        journal.end(job, outcome)
        report(job, outcome, totals)


def _without_room(line: str, folder: Path, totals: ConversionTotals) -> UserError:
    """Return the error for a full disk.

    ``line``: which file could not be written, and the remedy.
    """
    done = totals.finished_before + totals.converted
    if not done:
        return UserError(line)
    there = f"{done:,} of {counted(totals.traces, 'trace')} are in {folder}"
    return UserError(f"{line}; {there}: convert the others with --resume")
