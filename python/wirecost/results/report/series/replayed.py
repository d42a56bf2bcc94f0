# SPDX-License-Identifier: Apache-2.0
"""A replay's runs: the node's callbacks, the inputs that were sent, the outputs that came."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from wirecost.results.records.folder import Results
from wirecost.results.records.run_logs import run_logs
from wirecost.results.records.schemas.replay import ReplayMeta
from wirecost.results.records.table_columns import COUNT, TEXT, WHOLE, Columns
from wirecost.results.records.table_file import read_table
from wirecost.results.report.series.executions import execution_parts
from wirecost.results.report.series.mcap_file import Channel, SeriesPart
from wirecost.results.report.series.messages import MessageType, Numbers
from wirecost.results.report.series.names import Distinct, topic

CLOCK = (
    "a message's time is when the callback started, when the sending of the input started, or "
    "when the output was received, by the system's clock; without probe logs, the first message "
    "is when the folder was created"
)
INPUTS: Columns = {
    **dict.fromkeys(("due_ns", "before_ns", "after_ns"), WHOLE),
    "topic": TEXT,
    "repetition": COUNT,
    "bytes": COUNT,
}
OUTPUTS: Columns = {
    "topic": TEXT,
    "repetition": replace(COUNT, optional=True),
    "bytes": COUNT,
    **dict.fromkeys(("received_ns", "latency_ns"), replace(WHOLE, optional=True, nullable=True)),
}
INPUT = MessageType(
    "Input",
    "A message that was sent to the node. Its time is the start of its sending.",
    {
        "lateness_us": "Microseconds from when it was due to the start of its sending.",
        "sending_us": "Microseconds that its sending took.",
        "bytes": "Its size in bytes.",
    },
)
OUTPUT = MessageType(
    "Output",
    "A message that the node published. Its time is when it was received.",
    {
        "latency_us": "Microseconds from the start of sending the input that it answers; absent "
        "where there is none.",
        "bytes": "Its size in bytes.",
    },
)


def replayed_parts(results: Results, created_ns: int, out: Path) -> list[SeriesPart]:
    runs = run_logs(results.folder)
    several = len(results.meta_as(ReplayMeta).repeats) > 1
    names = {run: _level(run, several) for run, _ in runs}
    parts = execution_parts([(names[run], logs) for run, logs in runs], out)
    tables = [
        (kind, _table(results.folder / f"{name}.parquet", columns, instant))
        for kind, name, columns, instant in (
            (INPUT, "inputs", INPUTS, "before_ns"),
            (OUTPUT, "outputs", OUTPUTS, "received_ns"),
        )
    ]
    offsets = {run: logs[0].wall_minus_monotonic_ns for run, logs in runs if logs}
    firsts = [table["ns"].min() for _, table in tables if len(table)]
    beginning = min((int(first_ns) for first_ns in firsts if isinstance(first_ns, int)), default=0)
    # All runs of a folder are of one boot.
    offset = next(iter(offsets.values()), created_ns - beginning)
    topics = Distinct()
    for kind, table in tables:
        of_topics = table.group_by(["repetition", "topic"], maintain_order=True)
        for (run, name), rows in of_topics:
            levels = [_level(int(run), several), kind.name.lower() + "s", str(name)]
            named = topics.name(topic(*(level for level in levels if level)))
            channel = Channel(named, kind, {"topic": str(name), "run": str(run)})
            times = rows["ns"].to_numpy() + np.int64(offsets.get(int(run), offset))
            parts.append(SeriesPart(channel, times, _columns(kind, rows)))
    return parts


def _level(run: int, several: bool) -> str:
    return f"run_{run}" if several else ""


def _table(path: Path, columns: Columns, instant: str) -> pl.DataFrame:
    """Return a table, empty in older folders. ``ns``: a message's time by CLOCK_MONOTONIC."""
    if not path.exists():
        return pl.DataFrame(schema={"repetition": pl.Int64, "topic": pl.String, "ns": pl.Int64})
    table = read_table(path, columns, "replay again")
    run = pl.col("repetition").fill_null(1)
    return table.with_columns(ns=pl.col(instant), repetition=run).drop_nulls("ns")


def _columns(kind: MessageType, rows: pl.DataFrame) -> dict[str, Numbers]:
    columns = {"bytes": rows["bytes"]}
    if kind is INPUT:
        columns["lateness_us"] = (rows["before_ns"] - rows["due_ns"]) / 1e3
        columns["sending_us"] = (rows["after_ns"] - rows["before_ns"]) / 1e3
    else:
        columns["latency_us"] = rows["latency_ns"] / 1e3
    return {
        name: column.cast(pl.Float64).fill_null(np.nan).to_numpy()
        for name, column in columns.items()
    }
