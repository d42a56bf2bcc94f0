# SPDX-License-Identifier: Apache-2.0
"""Blocks of documents that follow from the files in ``docs/results``.

``<!-- results/osi: 829,440 reflections, 10 objects -->`` is followed by the table of that title as
a terminal shows it, of 80 columns or as wide as the number before the title says
(``<!-- results/osi: 120: TITLE -->``); ``rows NAME, NAME | TITLE`` by these rows of it alone;
``origin`` by where the run was made, ``lead`` by its first sentence. The tables between
``<!-- settings of bench transport -->`` and ``<!-- end of settings -->``, and between
``<!-- processes of each benchmark -->`` and ``<!-- end of processes -->``, follow from the code.
"""

from __future__ import annotations

import io
import re
import textwrap
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from documents import processes, settings
from documents.runs import ROOT, Kept, read
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table

BLOCK = re.compile(
    r"(?P<head><!-- results/(?P<run>[\w-]+): (?:(?P<width>\d+): )?(?P<what>[^\n]*?) -->\n```\n)"
    r".*?```",
    re.S,
)
WIDTH = 80


def documents() -> list[Path]:
    """Return the documents that may have blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def written(text: str) -> str:
    """Return a document with every block as it must be.

    Raises OSError for a run and KeyError for a table that is not there.
    """
    results = BLOCK.sub(lambda found: f"{found['head']}{content(found)}```", text)
    return processes.written(settings.written(results))


def content(found: re.Match[str]) -> str:
    """Return the content of a block."""
    run, what, width = read(found["run"]), found["what"], int(found["width"] or WIDTH)
    if what == "origin":
        return origin(run)
    if what == "lead":
        return textwrap.fill(run.lead or "", width) + "\n"
    names, bar, title = what.removeprefix("rows ").partition(" | ")
    table = _with_rows(run.table(title), names.split(", ")) if bar else run.table(what)
    out = io.StringIO()
    print_table(Console(file=out, width=width), table)
    text = out.getvalue()
    if bar:  # an excerpt need not say what else there is
        text = re.sub(r"^\d+ more columns.*", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


def _with_rows(table: Table, names: list[str]) -> Table:
    """Return the table with these rows alone. Raises KeyError for a row that is not there."""
    rows = {row[0]: row for row in table.rows}
    return replace(table, title="", rows=[rows[name] for name in names], notes=[])


def origin(kept: Kept) -> str:
    return "".join(f"{name:<9}{value}\n" for name, value in kept.about.items())
