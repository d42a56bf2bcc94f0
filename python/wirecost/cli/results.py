# SPDX-License-Identifier: Apache-2.0
"""What every benchmark's command does with a run: keep it, report it, print it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console

from wirecost.analysis.summary import Row, document, summarize
from wirecost.cli.console import Advance, progress
from wirecost.errors import UserError
from wirecost.records.folder import Results, new_folder, read_results
from wirecost.report.export import write_report
from wirecost.report.terminal import print_results

INTERRUPTED = 130


def measure_and_tell(
    scenario: str,
    out: Path | None,
    json_file: Path | None,
    measure: Callable[[Path, Advance], bool],
) -> None:
    """``measure`` fills the folder it is given and returns whether Ctrl-C cut it short."""
    to_stdout = json_file == Path("-")
    console = Console(stderr=to_stdout)
    with new_folder(scenario, out) as pending:
        with progress(console) as advance:
            interrupted = measure(pending.path, advance)
        results = read_results(pending.path)
        rows = summarize(results)
        write_report(results, rows, ["html"])
    print_results(console, Results(pending.final, results.meta, results.samples), rows)
    console.print(f"Report: {pending.final / 'report.html'}", soft_wrap=True, highlight=False)
    if json_file is not None:
        _write_json(json_file, results, rows)
    if interrupted:
        measured = sum(1 for row in rows if row.stage == "total")
        console.print(f"interrupted; the samples of {measured} contenders so far were kept")
        raise typer.Exit(INTERRUPTED)


def _write_json(path: Path, results: Results, rows: list[Row]) -> None:
    text = json.dumps(document(results, rows), indent=2) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error
