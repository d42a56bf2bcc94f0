# SPDX-License-Identifier: Apache-2.0
"""Blocks of documents that follow from the files in ``docs/results``.

``<!-- results/osi: 829,440 reflections, 10 objects -->`` is followed by that case's table as a
terminal of 80 columns shows it, ``<!-- results/osi: origin -->`` by where the run was made.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from rich.console import Console

from documents.rows import read_rows
from wirecost.report.scenarios.osi.content import overview
from wirecost.report.shared.races import races
from wirecost.report.shared.terminal import print_table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
BLOCK = re.compile(r"(?P<head><!-- results/(?P<run>\w+): (?P<what>[^\n]*?) -->\n```\n).*?```", re.S)
WIDTH = 80


def documents() -> list[Path]:
    """Those that may have blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def written(text: str) -> str:
    """A document with every block as it must be. Raises KeyError for a run or case that is not
    there."""
    return BLOCK.sub(
        lambda found: f"{found['head']}{content(found['run'], found['what'])}```", text
    )


def content(run: str, what: str) -> str:
    """What stands in a block."""
    if what == "origin":
        return origin(json.loads((RESULTS / f"{run}.json").read_text()))
    rows = read_rows(RESULTS / f"{run}.csv")
    (race,) = [race for race in races(rows) if race[0] == what] or [None]
    if race is None:
        raise KeyError(f"results/{run}: no case {what}")
    out = io.StringIO()
    print_table(Console(file=out, width=WIDTH), overview(rows, race))
    return "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines()) + "\n"


def origin(about: dict[str, str]) -> str:
    return "".join(f"{name:<9}{value}\n" for name, value in about.items())
