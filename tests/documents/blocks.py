# SPDX-License-Identifier: Apache-2.0
"""Blocks of documents that follow from the files in ``docs/results``.

``<!-- results/osi: 829,440 reflections, 10 objects -->`` is followed by the table of that title as
a terminal shows it, of 80 columns or as wide as the number before the title says
(``<!-- results/osi: 120: TITLE -->``); ``rows NAME, NAME | columns NAME, NAME | TITLE`` by these
rows and columns of it alone, all where either is left out, between names ``;`` where one has a
comma; ``origin`` by the run's command and where it was made, ``lead`` by its first sentence. The
table between ``<!-- processes of each benchmark -->`` and ``<!-- end of processes -->`` follows
from the code, that between ``<!-- runs that are kept -->`` and ``<!-- end of runs -->`` from all
of the files.

In a sentence, ``**49×**<!-- results/osi: cell TITLE | ROW | COLUMN -->`` is that cell of a table.
"""

from __future__ import annotations

import io
import re
import textwrap
from dataclasses import replace
from pathlib import Path

from documents import origins, processes
from documents.runs import ROOT, Kept, read
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

BLOCK = re.compile(
    r"(?P<head><!-- results/(?P<run>[\w-]+): (?:(?P<width>\d+): )?(?P<what>[^\n]*?) -->\n```\n)"
    r".*?```",
    re.S,
)
CELL = re.compile(
    r"\*\*[^*\n]*\*\*(?=<!-- results/(?P<run>[\w-]+): cell (?P<title>[^|\n]+) \| (?P<row>[^|\n]+)"
    r" \| (?P<column>[^|\n]+) -->)"
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
    results = CELL.sub(lambda found: f"**{cell(found)}**", results)
    return origins.written(processes.written(results))


def content(found: re.Match[str]) -> str:
    """Return the content of a block."""
    run, what, width = read(found["run"]), found["what"], int(found["width"] or WIDTH)
    if what == "origin":
        return origin(run)
    if what == "lead":
        return textwrap.fill(run.lead or "", width) + "\n"
    *chosen, title = what.split(" | ")
    table = run.table(title)
    for part in chosen:
        table = _excerpt(table, part)
    out = io.StringIO()
    print_table(Console(file=out, width=width), table)
    text = out.getvalue()
    if chosen:  # an excerpt need not say what else there is
        text = re.sub(r"^\d+ more columns.*", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return lines.strip("\n") + "\n"  # a heading may begin with spaces


def cell(found: re.Match[str]) -> str:
    """Return the cell that a sentence shows. Raises KeyError for one that is not there."""
    table = read(found["run"]).table(found["title"])
    rows = {row[0]: dict(zip(table.headings, row, strict=True)) for row in table.rows}
    return rows[found["row"]][found["column"]].rstrip("*")


def _excerpt(table: Table, part: str) -> Table:
    """Return the table with ``rows`` or ``columns`` of a block alone, without title and notes.

    Raises KeyError for one that is not there.
    """
    kind, _, listed = part.partition(" ")
    names = listed.split("; " if "; " in listed else ", ")
    bare = replace(table, title="", notes=[])
    if kind == "rows":
        rows = {row[0]: row for row in table.rows}
        return replace(bare, rows=[rows[name] for name in names])
    if missing := set(names) - set(table.headings):
        raise KeyError(f"no column {', '.join(missing)}; there are {', '.join(table.headings)}")
    kept = [0, *(i for i, name in enumerate(table.headings) if i and name in names)]
    return replace(
        bare,
        headings=[table.headings[i] for i in kept],
        rows=[[row[i] for i in kept] for row in table.rows],
    )


def origin(kept: Kept) -> str:
    """Return the command of a run, and below it commit, date and machine; JSON has the rest."""
    made = ", ".join(kept.about[name] for name in ("commit", "made"))
    return f"{kept.about['command']}\n{made}, {origins.machine(kept)}\n"
