# SPDX-License-Identifier: Apache-2.0
"""SET Level performance logs (docs/formats/performance-log.md), of every known variant.

What differs between variants: the event names a file's EventIds index, the unit of GlobalTime
(seconds in 2022, microseconds later), fields added at the end (ours: MonotonicNanoseconds), and
whether the closing brackets are there at all, which a killed run never wrote.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import polars as pl

from wirecost.system.errors import UserError
from wirecost.system.foreign import shortened
from wirecost.system.regular_file import read_regular

REQUIRED_FIELDS = ("EventId", "GlobalTime", "SimulationTime", "MessageId", "MessageSize")
EVENTS = pl.Schema(
    {
        "event": pl.String,
        "time_ns": pl.Int64,
        "simulation_time": pl.Float64,
        "message": pl.String,
        "size": pl.Int64,
    }
)
LARGEST = 1 << 28
"""Bytes; a model writes some 100 for each event."""
ROW = re.compile(r"\[([^\[\]{}]*)\]")


class _Header(TypedDict):
    """Facts of all models of a log, as far as they are read."""

    OsiMessages: list[str]
    EventFields: list[str]
    EventTypes: list[str]


class _Instance(TypedDict):
    ModelIdentity: str


class _Model(TypedDict):
    """One model; a row of its events has ``EventFields``."""

    Instance: _Instance
    OsiEvents: list[list[float]]


class _Document(TypedDict):
    """A log; what another tool wrote is found to be one where it is used."""

    Header: _Header
    Data: list[_Model]


@dataclass(frozen=True)
class PerformanceLog:
    """One model's events in the order in which they were logged (columns: ``EVENTS``)."""

    path: Path
    model: str
    events: pl.DataFrame
    complete: bool


def read_logs(path: Path) -> list[PerformanceLog]:
    """Every model's log in a file. Raises UserError if it is no performance log."""
    try:
        text = read_regular(path, LARGEST).decode("utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a performance log") from error
    try:
        document: _Document = json.loads(text)
        complete = True
    except (json.JSONDecodeError, RecursionError):
        document = _salvage(path, text)
        complete = False
    try:
        header = document["Header"]
        models = [(str(d["Instance"]["ModelIdentity"]), d["OsiEvents"]) for d in document["Data"]]
        events = [(model, _table(header, rows)) for model, rows in models]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        # Polars follows its reason with advice to programmers.
        reason = shortened(str(error).partition("\n")[0], 200)
        raise UserError(
            f"{path}: not a SET Level performance log ({type(error).__name__}: {reason}); "
            "see docs/formats/performance-log.md"
        ) from error
    return [PerformanceLog(path, model, table, complete) for model, table in events]


def _table(header: _Header, rows: list[list[float]]) -> pl.DataFrame:
    fields: list[str] = header["EventFields"]
    at = {name: fields.index(name) for name in REQUIRED_FIELDS}
    types: list[str] = header["EventTypes"]
    messages: list[str] = header["OsiMessages"]
    monotonic = fields.index("MonotonicNanoseconds") if "MonotonicNanoseconds" in fields else None
    columns: dict[str, list[Any]] = {name: [] for name in EVENTS}
    for row in rows:
        event, message = int(row[at["EventId"]]), int(row[at["MessageId"]])
        if event < 0 or message < 0:
            raise ValueError("a negative EventId or MessageId")
        columns["event"].append(types[event])
        columns["time_ns"].append(
            _nanoseconds(row[at["GlobalTime"]]) if monotonic is None else int(row[monotonic])
        )
        columns["simulation_time"].append(float(row[at["SimulationTime"]]))
        columns["message"].append(messages[message])
        columns["size"].append(int(row[at["MessageSize"]]))
    return pl.DataFrame(columns, schema=EVENTS)


def _nanoseconds(global_time: float) -> int:
    """GlobalTime has no unit; its magnitude shows which: seconds, milli- or microseconds."""
    for limit, factor in ((1e11, 10**9), (1e14, 10**6), (1e17, 10**3)):
        if abs(global_time) < limit:
            return round(global_time * factor)
    return int(global_time)


def _salvage(path: Path, text: str) -> _Document:
    """Return the header and the whole rows of a log that was never closed."""
    refusal = UserError(f"{path}: not a SET Level performance log; its header cannot be read")
    start = text.find('"Header"')
    if start < 0:
        raise refusal
    try:
        header, end = json.JSONDecoder().raw_decode(text, text.index("{", start))
    except (ValueError, RecursionError):
        raise refusal from None
    data: list[_Model] = []
    parts = text[end:].split('"ModelIdentity"')[1:]
    for part in parts:
        identity = re.match(r'\s*:\s*"([^"]*)"', part)
        rows = part.partition('"OsiEvents"')[2]
        whole = [_numbers(row[1]) for row in ROW.finditer(rows)]
        data.append(
            {
                "Instance": {"ModelIdentity": identity[1] if identity else "unknown"},
                "OsiEvents": [row for row in whole if row],
            }
        )
    return {"Header": header, "Data": data}


def _numbers(row: str) -> list[float]:
    try:
        return [json.loads(value) for value in row.split(",")]
    except ValueError:
        return []
