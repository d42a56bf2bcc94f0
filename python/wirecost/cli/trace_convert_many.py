# SPDX-License-Identifier: Apache-2.0
"""Answer of ``wirecost trace convert`` on many traces: progress, failures, totals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from wirecost.cli.console import progress
from wirecost.cli.trace_options import STDERR
from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.batch.run import ConversionOutcome, ConversionTotals, convert_many
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system.counted import counted
from wirecost.system.foreign import printable


def convert_all(
    words: list[str], folder: Path, options: Options, workers: int, *, resume: bool, force: bool
) -> Answer:
    """Convert traces; the answer's exit status is 1 if a trace failed.

    Raises UserError.
    """
    begin = time.perf_counter()
    with progress() as advance:

        def report(outcome: ConversionOutcome, totals: ConversionTotals) -> None:
            if outcome.error:
                say_whole(STDERR, f"failed: {outcome.error}")
            for warning in outcome.warnings:
                say_whole(STDERR, f"warning: {warning}")
            text = f"{totals.done:,} of {counted(totals.traces, 'trace')}{_failed(totals)}"
            advance(totals.done, totals.traces, text)

        totals = convert_many(words, folder, options, workers, report, resume=resume, force=force)
    took = time.perf_counter() - begin
    before, after = map(units.size, totals.file_bytes)
    earlier = f", {totals.finished_before:,} finished before" if totals.finished_before else ""
    return Answer(
        f"{totals.converted:,} of {counted(totals.traces, 'trace')} converted{earlier}"
        f"{_failed(totals)}; {counted(totals.frames, 'frame')}, files {before} → {after}, in "
        f"{units.significant(took)} s.",
        sections=_sections(totals),
        heading=f"{folder}: traces converted",
        written=[str(folder)],
        document=_document(folder, totals, took),
        status=1 if totals.failed else 0,
    )


def _sections(totals: ConversionTotals) -> list[Section]:
    """Return the traces that failed, and those with warnings."""
    kinds = {"Traces that failed": totals.failed, "Traces with warnings": totals.warnings}
    return [Section([_table(title, jobs)]) for title, jobs in kinds.items() if jobs]


def _table(title: str, jobs: Sequence[tuple[ConversionJob, str]]) -> Table:
    rows = [[str(job.source.path), text] for job, text in jobs]
    return Table(title, ["trace", "reason"], rows, [], texts=("reason",))


def _failed(totals: ConversionTotals) -> str:
    return f", {len(totals.failed):,} failed" if totals.failed else ""


def _document(folder: Path, totals: ConversionTotals, took_s: float) -> dict[str, object]:
    return {
        "folder": str(folder),
        "traces": totals.traces,
        "converted": totals.converted,
        "finished_before": totals.finished_before,
        "frames": totals.frames,
        "bytes_before": totals.file_bytes[0],
        "bytes_after": totals.file_bytes[1],
        "elapsed_s": took_s,
        "failed": [_row(job, error) for job, error in totals.failed],
        "warnings": [_row(job, warning) for job, warning in totals.warnings],
    }


def _row(job: ConversionJob, text: str) -> dict[str, str]:
    return {"file": str(job.source.path), "text": printable(text)}
