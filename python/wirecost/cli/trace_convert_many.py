# SPDX-License-Identifier: Apache-2.0
"""Output of ``wirecost trace convert`` on many traces: progress, failures, totals."""

from __future__ import annotations

import time
from pathlib import Path

from wirecost.cli.console import progress
from wirecost.cli.json_file import console_beside, write_json
from wirecost.cli.trace_options import STDERR
from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.batch.run import ConversionOutcome, ConversionTotals, convert_many
from wirecost.results.report.shared import units
from wirecost.system.counted import counted
from wirecost.system.printable import printable
from wirecost.system.terminal import Console


def convert_and_print(
    words: list[str],
    folder: Path,
    options: Options,
    workers: int,
    json_file: Path | None,
    *,
    resume: bool,
    force: bool,
) -> int:
    """Convert traces, and return the command's exit status: 1 if a trace failed.

    Raises UserError.
    """
    begin = time.perf_counter()
    with progress() as advance:

        def report(outcome: ConversionOutcome, totals: ConversionTotals) -> None:
            if outcome.error:
                _print(STDERR, f"failed: {outcome.error}")
            for warning in outcome.warnings:
                _print(STDERR, f"warning: {warning}")
            text = f"{totals.done:,} of {counted(totals.traces, 'trace')}{_failed(totals)}"
            advance(totals.done, totals.traces, text)

        totals = convert_many(words, folder, options, workers, report, resume=resume, force=force)
    took = time.perf_counter() - begin
    before, after = map(units.size, totals.file_bytes)
    earlier = f", {totals.finished_before:,} finished before" if totals.finished_before else ""
    _print(
        console_beside(json_file),
        f"{folder}: {totals.converted:,} of {counted(totals.traces, 'trace')} converted{earlier}"
        f"{_failed(totals)}; {counted(totals.frames, 'frame')}, files {before} → {after}, in "
        f"{units.significant(took)} s",
    )
    write_json(json_file, _document(folder, totals, took))
    return 1 if totals.failed else 0


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


def _print(console: Console, line: str) -> None:
    console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
