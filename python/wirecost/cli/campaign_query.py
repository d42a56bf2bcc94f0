# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign query``: SQL over a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from wirecost.cli.json_file import JsonFile, write_json
from wirecost.cli.options import Store, argument, option
from wirecost.measure.campaign.choices import LEAST_MEMORY, MEMORY
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.byte_sizes import parse_size
from wirecost.system.errors import UserError
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    import polars as pl

EXAMPLE = 'wirecost campaign query STORE "SELECT host, COUNT(*) FROM records GROUP BY host"'

USUAL = (
    "SELECT scenario, contender, mode, host, COUNT(*) AS samples, MEDIAN(ns) AS median_ns"
    " FROM samples WHERE stage = 'total'"
    " GROUP BY scenario, contender, mode, host ORDER BY scenario, median_ns"
)
MOST_SHOWN = 200


def command(
    store: Store,
    sql: Annotated[
        str,
        argument(
            "SQL",
            "Over the tables records, samples and rows; default: medians by contender and host.",
        ),
    ] = USUAL,
    memory: Annotated[
        str, option("What DuckDB may take, such as 4GiB.", metavar="SIZE")
    ] = f"{MEMORY >> 20}MiB",
    json_file: JsonFile = None,
) -> None:
    """Query a store with SQL, by DuckDB, or by Polars if DuckDB is not installed."""
    from wirecost.measure.campaign.asking import ask
    from wirecost.results.store.store import Store

    most = parse_size("--memory", memory)
    if most < LEAST_MEMORY:
        raise UserError(f"--memory {memory}: at least {LEAST_MEMORY >> 20}MiB are needed")
    answer = ask(Store(store), sql, most)
    if json_file != Path("-"):
        _print(answer)
    write_json(json_file, json.loads(answer.write_json()))


def _print(answer: pl.DataFrame) -> None:
    body = [[_cell(value) for value in row] for row in answer.head(MOST_SHOWN).iter_rows()]
    more = len(answer) - len(body)
    notes = [f"The first {len(body)}, {more:,} more follow: --json has all."] if more else []
    print_table(Console(), Table("", answer.columns, body, notes))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    return printable("" if value is None else str(value))
