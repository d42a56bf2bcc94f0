# SPDX-License-Identifier: Apache-2.0
"""Output of ``wirecost trace convert`` on many traces: progress, failures, totals."""

from __future__ import annotations

import time
from pathlib import Path

from wirecost.cli.console import progress
from wirecost.cli.json_file import console_beside, write_json
from wirecost.cli.trace_options import STDERR
from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.batch.run import ConversionTotals, Resources, convert_many
from wirecost.data.traces.batch.work import ConversionOutcome
from wirecost.results.report.shared import units
from wirecost.system.counted import counted
from wirecost.system.printable import printable
from wirecost.system.terminal import Console


def convert_and_print(
    words: list[str],
    folder: Path,
    options: Options,
    resources: Resources,
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

        def report(_: ConversionJob, outcome: ConversionOutcome, totals: ConversionTotals) -> None:
            if outcome.error:
                _print(STDERR, f"failed: {outcome.error}")
            for warning in outcome.warnings:
                _print(STDERR, f"warning: {warning}")
            done = totals.input_bytes - totals.left_bytes
            advance(done, totals.input_bytes, _progress_text(totals))

        totals = convert_many(words, folder, options, resources, report, resume=resume, force=force)
    took = time.perf_counter() - begin
    _print_totals(console_beside(json_file), folder, totals, resources, took)
    write_json(json_file, _document(folder, totals, resources, took))
    return 1 if totals.failed else 0


def _progress_text(totals: ConversionTotals) -> str:
    done = totals.finished_before + totals.converted + len(totals.failed)
    failed = f", {len(totals.failed):,} failed" if totals.failed else ""
    return f"{done:,} of {counted(totals.traces, 'trace')}{failed}"


def _print_totals(
    console: Console, folder: Path, totals: ConversionTotals, resources: Resources, took_s: float
) -> None:
    before, after = map(units.size, totals.file_bytes)
    earlier = f", {totals.finished_before:,} finished before" if totals.finished_before else ""
    failed = f", {len(totals.failed):,} failed" if totals.failed else ""
    _print(
        console,
        f"{folder}: {totals.converted:,} of {counted(totals.traces, 'trace')} converted{earlier}"
        f"{failed}; {counted(totals.frames, 'frame')}, files {before} → {after}, in "
        f"{units.significant(took_s)} s",
    )
    if totals.peaks:
        limit = f" of at most {units.size(resources.memory)}" if resources.memory else ""
        lost = f", {totals.replaced_workers} replaced" if totals.replaced_workers else ""
        _print(
            console,
            f"workers: {totals.workers}{lost}; largest memory of one "
            f"{units.size(max(totals.peaks.values()))}{limit}",
        )


def _document(
    folder: Path, totals: ConversionTotals, resources: Resources, took_s: float
) -> dict[str, object]:
    return {
        "folder": str(folder),
        "traces": totals.traces,
        "converted": totals.converted,
        "finished_before": totals.finished_before,
        "frames": totals.frames,
        "bytes_before": totals.file_bytes[0],
        "bytes_after": totals.file_bytes[1],
        "workers": totals.workers,
        "workers_replaced": totals.replaced_workers,
        "memory_limit_bytes": resources.memory,
        "memory_peak_bytes": list(totals.peaks.values()),
        "conversion_s": totals.seconds,
        "coordinator_cpu_s": time.process_time(),
        "elapsed_s": took_s,
        "failed": [_row(job, error) for job, error in totals.failed],
        "warnings": [_row(job, warning) for job, warning in totals.warnings],
    }


def _row(job: ConversionJob, text: str) -> dict[str, str]:
    return {"file": str(job.source.path), "text": printable(text)}


def _print(console: Console, line: str) -> None:
    console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
