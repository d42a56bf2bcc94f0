# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign query``: SQL over a store."""

from __future__ import annotations

import json
from typing import Annotated, Any

from wirecost.cli.ending import answering
from wirecost.cli.options import Store, argument, size
from wirecost.measure.campaign.choices import LEAST_MEMORY, MEMORY
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

EXAMPLE = 'wirecost campaign query STORE "SELECT host, COUNT(*) FROM records GROUP BY host"'

USUAL = (
    "SELECT scenario, contender, mode, host, COUNT(*) AS samples, MEDIAN(ns) AS median_ns"
    " FROM samples WHERE stage = 'total'"
    " GROUP BY scenario, contender, mode, host ORDER BY scenario, median_ns"
)
MOST_SHOWN = 200


@answering()
def command(
    store: Store,
    sql: Annotated[
        str,
        argument(
            "SQL",
            "SQL over the tables records, samples and rows; default: medians by contender and "
            "host.",
        ),
    ] = USUAL,
    memory: Annotated[
        int,
        size("The memory that DuckDB may use, such as 4GiB.", "--memory", f"{MEMORY >> 20}MiB"),
    ] = MEMORY,
) -> Answer:
    """Query a store with SQL, by DuckDB, or by Polars if DuckDB is not installed."""
    from wirecost.measure.campaign.asking import ask
    from wirecost.results.store.store import Store

    if memory < LEAST_MEMORY:
        raise UserError(f"--memory {memory}: at least {LEAST_MEMORY >> 20}MiB are needed")
    answer = ask(Store(store), sql, memory)
    body = [[_cell(value) for value in row] for row in answer.head(MOST_SHOWN).iter_rows()]
    left_out = len(answer) - len(body)
    notes = (
        [f"These are the first {len(body)} rows; --json has {left_out:,} more."] if left_out else []
    )
    return Answer(
        f"{counted(len(answer), 'row')}.",
        Table("", answer.columns, body, notes),
        more="--all prints every row",
        heading=f"Query of {store}",
        document=json.loads(answer.write_json()),
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    return "" if value is None else str(value)
