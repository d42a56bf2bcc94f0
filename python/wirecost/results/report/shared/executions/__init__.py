# SPDX-License-Identifier: Apache-2.0
"""Figures of how long executions took, one a module.

They take a table of executions, whoever measured them: column ``section``, ``ns`` and, where there
are any, ``begin_ns``, ``value``, ``counter:<name>`` and one that names the series
(``Options.by``). ``section_figures`` draws all of one section.
"""

from __future__ import annotations

import polars as pl

from wirecost.results.report.shared.executions import against, distribution, over_time, turnaround
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import Figure

LONGEST = 2.0**63
"""Nanoseconds: what is longer was no time."""


def section_figures(
    number: int, section: str, rows: pl.DataFrame, options: Options
) -> list[Figure]:
    """Draw all figures of one section, if any time is valid; ``number`` begins their names."""
    rows = valid(rows)
    if rows.is_empty():
        return []
    name = f"{number}-{slug(section)}"
    drawn = (
        module.figure(name, section, rows, options)
        for module in (turnaround, distribution, over_time, against)
    )
    return [figure for figure in drawn if figure is not None]


def valid(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the executions whose time is one."""
    return rows.filter(pl.col("ns").cast(pl.Float64).is_between(-LONGEST, LONGEST))


def slug(text: str) -> str:
    """Return a section's name as part of a file's: lower-case ASCII letters, digits, hyphens."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words)[:40] or "section"
