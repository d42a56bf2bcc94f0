# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign query``: SQL over a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich.console import Console

from wirecost.campaign.asking import ask
from wirecost.campaign.store import Store
from wirecost.cli.json_file import write_json
from wirecost.printable import printable
from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table

USUAL = (
    "SELECT scenario, contender, mode, host, COUNT(*) AS samples, MEDIAN(ns) AS median_ns"
    " FROM samples WHERE stage = 'total'"
    " GROUP BY scenario, contender, mode, host ORDER BY scenario, median_ns"
)
MOST_SHOWN = 200


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A campaign's store.")],
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="Over the tables records, samples and rows; default: medians by contender and"
            " host.",
        ),
    ] = USUAL,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write all rows as JSON; - is standard output."
        ),
    ] = None,
) -> None:
    """Query a store with SQL, by DuckDB, or by Polars if DuckDB is not installed."""
    answer = ask(Store(store), sql)
    if json_file != Path("-"):
        _print(answer)
    write_json(json_file, json.loads(answer.write_json()))


def _print(found: pl.DataFrame) -> None:
    body = [[_cell(value) for value in row] for row in found.head(MOST_SHOWN).iter_rows()]
    left = len(found) - len(body)
    notes = [f"The first {len(body)}, {left:,} more follow: --json has all."] if left else []
    print_table(Console(), Table("", found.columns, body, notes))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    return printable("" if value is None else str(value))
