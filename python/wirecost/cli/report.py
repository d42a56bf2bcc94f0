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
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

ALL = "all"
"""Name that stands for all tables."""
EXAMPLE = "wirecost report --open"


def command(
    folder: Annotated[
        Path | None, argument("[DIR]", "A result folder; default: the latest in results/.")
    ] = None,
    name: Annotated[
        list[str] | None,
        argument("[NAME]…", "With --tables: words of a table's title; default: all tables."),
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
    from wirecost.results.records.reading import read_results
    from wirecost.results.records.remedy_trial import is_trial
    from wirecost.results.records.result_folders import latest
    from wirecost.results.report.results.answer import results_answer
    from wirecost.results.report.results.export import write_report
    from wirecost.results.report.shared.terminal import say_whole
    from wirecost.system.terminal import Console

    if tables and (format_ or open_):
        raise UserError("--tables: prints and writes nothing; leave --format and --open out")
    words = list(name or ())
    if words and not tables:
        raise UserError(f"{words[0]}: names a table; give --tables as well")
    if tables and folder is not None and not folder.exists():  # of the latest
        words.insert(0, str(folder))
        folder = None
    table = "" if words == [ALL] else " ".join(words)
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
            _print(results_answer(results, rows), table, str(measured))
            return
        written = write_report(results, rows, formats, stills=True)
    for path in written:
        say_whole(Console(), str(path))
    if open_:
        page = next(path for path in written if path.suffix == ".html")
        if not webbrowser.open(page.absolute().as_uri()):
            raise UserError(f"--open: no browser was found; open {page} yourself")


def _of_trial(folder: Path, formats: list[str], name: str) -> list[Path]:
    """Write the report of a trial of remedies; without formats, print its tables of a name."""
    from wirecost.results.records.remedy_trial import read_trial
    from wirecost.results.report.probe.remedy_gains import trial_answer, write_trial

    trial = read_trial(folder)
    if not formats:
        _print(trial_answer(trial), name, str(folder))
    return write_trial(trial, formats)


def _print(answer: Answer, name: str, folder: str) -> None:
    """Print all of an answer, or its tables of a name; to a pipe with all columns."""
    from wirecost.results.report.results.answer import named_tables
    from wirecost.results.report.shared.screen import print_whole
    from wirecost.results.report.shared.terminal import print_table, table_width
    from wirecost.system.terminal import Console

    tables = [table for section in answer.sections for table in section.tables]
    width = None
    # A file or a pipe has no width, unless one was asked for.
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        widths = [table_width(table) for table in tables if table.optional]
        width = max([Console().width, *widths])
    console = Console(width=width)
    if not name:
        wider = f"COLUMNS=200 wirecost report {shell_line(folder)} --tables"
        print_whole(console, answer, wider)
        return
    for table in named_tables(answer.sections, name):
        print_table(console, table)
