# SPDX-License-Identifier: Apache-2.0
"""Costs of many recordings in a folder: a Parquet file for each, with a row for each topic."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from wirecost.results.records.cost import SystemCost
from wirecost.system.errors import UserError
from wirecost.system.table_set import TableOrigin, TableSet
from wirecost.system.whole_table import write_table

FORMAT = "wirecost-cost 1"
"""Begin of the options in the origin of such a file, and its version."""
TIMES = ("encode_ns", "decode_ns", "send_ns", "receive_ns")
OF_TOPIC: dict[str, type[pl.DataType]] = {
    "topic": pl.String, "type": pl.String, "wire": pl.String, "count": pl.Int64,
    "bytes": pl.Int64, "median_bytes": pl.Int64, "largest_bytes": pl.Int64,
    "rate_hz": pl.Float64, "has_rate": pl.Boolean, "subscribers": pl.Int64,
    **dict.fromkeys((*TIMES, "bytes_per_s", "share"), pl.Float64),
}  # fmt: skip
"""Columns that are attributes of a ``TopicCost``."""


def week_of(begin_ns: int) -> str:
    """Return the week of ISO 8601 that a recording began in, such as ``2026-W27``, of UTC."""
    try:
        year, week, _ = datetime.fromtimestamp(begin_ns // 10**9, UTC).isocalendar()
    except (OverflowError, ValueError, OSError):
        return "no date"
    return f"{year}-W{week:02}"


def write_costs(
    file: Path, cost: SystemCost, begin_ns: int, vehicle: str, prices: str, origin: TableOrigin
) -> None:
    """Write what a recording's topics cost; ``prices``: what its times are by. Raises OSError."""
    rows = [[getattr(topic, name) for name in OF_TOPIC] for topic in cost.topics]
    table = pl.DataFrame(rows, OF_TOPIC, orient="row")
    about = {"recording": origin.recording, "vehicle": vehicle, "week": week_of(begin_ns)}
    facts = {"duration_s": float(cost.duration_s), "prices": prices}
    constant = [pl.lit(value).alias(name) for name, value in {**about, **facts}.items()]
    write_table(file, table.select(*constant, pl.all()), origin.metadata)


def is_cost_store(folder: Path) -> bool:
    """Return whether a folder has costs of recordings."""
    return folder.is_dir() and any(map(_is_costs, TableSet(folder).origins.values()))


def cost_tables(folder: Path) -> TableSet:
    """Return the tables of a folder. Raises UserError where one is something else."""
    tables = TableSet(folder)
    for file, origin in tables.origins.items():
        if not _is_costs(origin):
            raise UserError(
                f"{file}: is damaged, or no cost of this version; name another --store of "
                "`wirecost cost`, or remove it"
            )
    return tables


def read_costs(folder: Path) -> pl.DataFrame:
    """Return the rows of all recordings, with the ``file`` of each. Raises UserError."""
    try:
        return pl.concat([
            pl.read_parquet(file, glob=False).with_columns(file=pl.lit(file.name))
            for file in cost_tables(folder).origins
        ])  # fmt: skip
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise UserError(
            f"{folder}: has no costs, or damaged ones; name a --store of `wirecost cost`"
        ) from error


def gone_recordings(folder: Path) -> dict[Path, str]:
    """Return recordings that are no longer there, by the files of their costs. Raises UserError."""
    return {
        file: origin.recording
        for file, origin in cost_tables(folder).origins.items()
        if origin is not None and not Path(origin.place).exists()
    }


def _is_costs(origin: TableOrigin | None) -> bool:
    return origin is not None and origin.options.startswith(f'["{FORMAT}"')
