# SPDX-License-Identifier: Apache-2.0
"""``wirecost report``: a result folder as a page, figures or tables."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from wirecost.cli.options import argument, option
from wirecost.results.report.choices import REPORT_FORMATS
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

EXAMPLE = "wirecost report --open"


def command(
    folder: Annotated[
        Path | None, argument("[DIR]", "A result folder; default: the latest in results/.")
    ] = None,
    name: Annotated[
        list[str] | None,
        argument("[NAME]…", "With --tables: words of a table's title; default: all."),
    ] = None,
    format_: Annotated[
        str | None,
        option(
            f"Formats, comma-separated: {', '.join(REPORT_FORMATS)}; default: html.",
            "--format",
            metavar="FORMATS",
            known=REPORT_FORMATS,
        ),
    ] = None,
    tables: Annotated[
        bool, option("Print the tables, or the one of that NAME, and write no file.", "--tables")
    ] = False,
    open_: Annotated[bool, option("Open the page in the browser.", "--open")] = False,
) -> None:
    """Write a result's report in any format, or print its tables."""
    from wirecost.results.analysis.summary import summarize
    from wirecost.results.records.measured import latest
    from wirecost.results.records.reading import read_results
    from wirecost.results.records.trial import is_trial
    from wirecost.results.report.results.export import write_report
    from wirecost.results.report.results.printed import ALL, print_results

    if tables and (format_ or open_):
        raise UserError("--tables: prints and writes nothing; leave --format and --open out")
    words = list(name or ())
    if words and not tables:
        raise UserError(f"{words[0]}: names a table; give --tables as well")
    if tables and folder is not None and not folder.exists():  # of the latest
        words.insert(0, str(folder))
        folder = None
    table = " ".join(words) or ALL
    formats = (format_ or "html").split(",")
    if open_ and "html" not in formats:
        raise UserError(f"--open: opens the page; add html to --format {format_}")
    measured = folder if folder is not None else latest(trials=True)
    if is_trial(measured):
        written = _of_trial(measured, [] if tables else formats, table)
    else:
        results = read_results(measured)
        rows = summarize(results)
        if tables:
            # A file or a pipe has no width, unless one was asked for.
            is_whole = not sys.stdout.isatty() and "COLUMNS" not in os.environ
            print_results(Console(), results, rows, table, is_whole=is_whole)
            return
        written = write_report(results, rows, formats, stills=True)
    for path in written:
        Console(soft_wrap=True).print(str(path), highlight=False, markup=False)
    if open_:
        page = next(path for path in written if path.suffix == ".html")
        if not webbrowser.open(page.absolute().as_uri()):
            raise UserError(f"--open: no browser was found; open {page} yourself")


def _of_trial(folder: Path, formats: list[str], name: str) -> list[Path]:
    """Write the report of a trial of remedies; without formats, print its tables of a name."""
    from wirecost.results.records.trial import read_trial
    from wirecost.results.report.probe.trial import trial_gains, trial_tables, write_trial
    from wirecost.results.report.results.printed import ALL, named_tables
    from wirecost.results.report.shared.terminal import print_table

    trial = read_trial(folder)
    if not formats:
        tables = trial_tables(trial, trial_gains(trial))
        for table in tables if name == ALL else named_tables(tables, name):
            print_table(Console(), table)
    return write_trial(trial, formats)
