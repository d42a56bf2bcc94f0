# SPDX-License-Identifier: Apache-2.0
"""Probe logs in the formats of other tools: Parquet, SET Level performance JSON, Perfetto."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from wirecost.results.records.choices import PROBE_FORMATS
from wirecost.results.records.probe_log import COUNTER, ProbeLog, events_of
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_table import replaced_by_polars

MESSAGES = ("osi3::SensorView", "osi3::SensorData")
MODEL_EVENTS = (
    "StartSourceCalc",
    "StartOSISerialize",
    "StopOSISerialize",
    "StartOSIDeserialize",
    "StopOSIDeserialize",
    "StopRelease",
)
"""Meanings of the parts of a model's marks within a message: those of our FMUs."""


def write_parquet(logs: list[ProbeLog], out: Path) -> None:
    """Write the event table, its columns as ``records.probe_log.EVENTS`` says."""
    with out.open("wb") as file:
        events_of(logs).write_parquet(file)


def write_setlevel(logs: list[ProbeLog], out: Path) -> None:
    """Write events ``Start <section>`` and ``Stop <section>``, a mark's ``<section> <part>``.

    They are in the order of time; a model is one thread. The loop is the simulation time in
    seconds, the value is the message's size (docs/formats/performance-log.md). What an FMU of ours
    left when it was killed becomes the log that it would have written.
    """
    types: dict[str, int] = {}
    models = []
    for log in logs:
        events = []
        offset = log.wall_minus_monotonic_ns
        identity = f"{log.program}-{log.process}-{log.thread}"
        simulated = log.values().filter(variable="SimulationTime")
        times = dict(simulated.select("loop", "number").rows())
        for row in log.events().iter_rows(named=True):
            message = MESSAGES.index(row["parent"]) + 1 if row["parent"] in MESSAGES else 0
            if message:
                identity = row["section"]
            for name, ns in _instants(row):
                event = types.setdefault(name, len(types))
                wall = ns + offset
                seconds = wall / 1e9
                time = times.get(row["loop"], float(row["loop"]))
                events.append([event, seconds, time, message, 0, row["value"], ns])
        events.sort(key=lambda event: event[-1])
        models.append({"Instance": {"ModelIdentity": identity}, "OsiEvents": events})
    fields = ["EventId", "GlobalTime", "SimulationTime", "MessageId", "SizeValueReference"]
    document = {
        "Header": {
            "OsiMessages": ["none", *MESSAGES],
            "EventFields": [*fields, "MessageSize", "MonotonicNanoseconds"],
            "EventTypes": list(types),
            "FormatVersion": {"Major": 1, "Minor": 1, "Patch": 0, "PreRelease": ""},
        },
        "Data": models,
    }
    with out.open("w", encoding="utf-8") as file:
        json.dump(document, file)


def write_perfetto(logs: list[ProbeLog], out: Path) -> None:
    """Write Chrome trace events, which ui.perfetto.dev opens.

    A section is a slice, a span an asynchronous slice, a mark an instant. Times are microseconds of
    CLOCK_MONOTONIC. A slice stands before those inside it, by which readers know which of two that
    begin together is the outer one.
    """
    with out.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [')
        _write_list(file, (event for log in logs for event in _trace_events(log)))
        file.write("\n]}\n")


def write_values(logs: list[ProbeLog], out: Path) -> None:
    """Write the values that programs recorded, as Parquet; columns as ``VALUES`` says."""
    with out.open("wb") as file:
        pl.concat([log.values() for log in logs]).write_parquet(file)


FORMATS: dict[str, Callable[[list[ProbeLog], Path], None]] = dict(
    zip(PROBE_FORMATS, (write_parquet, write_setlevel, write_perfetto, write_values), strict=True)
)


def export(logs: list[ProbeLog], form: str, out: Path) -> None:
    """Write ``out`` or leave nothing of it. Raises UserError."""
    if form not in FORMATS:
        raise UserError(f"--format {form}: there are {', '.join(FORMATS)}")
    try:
        with replaced_by_polars(out) as file:
            FORMATS[form](logs, file)
    except OSError as error:
        raise failed_write(out, error, "name a file that can be written") from error


def _instants(row: Mapping[str, Any]) -> list[tuple[str, int]]:
    if row["kind"] == "mark":
        of_model = row["parent"] in MESSAGES and row["part"] < len(MODEL_EVENTS)
        name = MODEL_EVENTS[row["part"]] if of_model else f"{row['section']} {row['part']}"
        return [(name, row["begin_ns"])]
    return [(f"Start {row['section']}", row["begin_ns"]), (f"Stop {row['section']}", row["end_ns"])]


def _trace_events(log: ProbeLog) -> Iterator[dict[str, object]]:
    track = {"pid": log.process, "tid": log.thread}
    yield {"ph": "M", "name": "process_name", **track, "args": {"name": log.program}}
    yield {"ph": "M", "name": "thread_name", **track, "args": {"name": log.thread_name}}
    in_order = log.events().sort("begin_ns", "depth", maintain_order=True)
    for index, row in enumerate(in_order.iter_rows(named=True)):
        counted = {
            name.removeprefix(COUNTER): value
            for name, value in row.items()
            if name.startswith(COUNTER) and value is not None
        }
        event = {"ts": row["begin_ns"] / 1e3, **track}
        event["args"] = {"loop": row["loop"], "value": row["value"], **counted}
        if row["kind"] == "mark":
            event |= {"ph": "i", "s": "t", "name": f"{row['section']} {row['part']}"}
        elif row["kind"] == "span":
            # Slices of a track must nest; what may overlap with them has a track of its own.
            span = {
                "cat": "span",
                "id": f"{log.process}-{log.thread}-{index}",
                "name": row["section"],
            }
            yield event | span | {"ph": "b"}
            event |= span | {"ph": "e", "ts": row["end_ns"] / 1e3}
        else:
            duration = (row["end_ns"] - row["begin_ns"]) / 1e3
            event |= {"ph": "X", "name": row["section"], "dur": duration}
        yield event


def _write_list(file: TextIO, items: Iterator[dict[str, object]]) -> None:
    for i, item in enumerate(items):
        file.write((",\n" if i else "\n") + json.dumps(item))
