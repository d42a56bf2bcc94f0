# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report import table


def print_table(console: Console, content: table.Table) -> None:
    out = RichTable(
        title=content.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    for i, heading in enumerate(content.headings):
        out.add_column(heading, justify="right" if i else "left", overflow="fold")
    for cells in content.rows:
        out.add_row(*cells)
    console.print(out)
    for note in content.notes:
        console.print(f"  {note}", style="dim", highlight=False)
    console.print()


def print_results(console: Console, results: Results, rows: list[Row]) -> None:
    tables = table.table1(rows)
    for one in tables or [table.overview(rows, race) for race in table.races(rows)]:
        print_table(console, one)
    for run in results.meta["runs"]:
        if run["failure"]:
            where = f"{run['contender']} ({run['case']}, {run['variant']}, {run['build']})"
            console.print(f"not measured: {where}: {run['failure']}", style="bold red")
    comparison = table.published_comparison(rows)
    if comparison:
        console.print(comparison, highlight=False)
