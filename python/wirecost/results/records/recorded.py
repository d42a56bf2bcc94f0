# SPDX-License-Identifier: Apache-2.0
"""Logs of programs: by probes in files of their own, or by LTTng in traces of ROS 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wirecost.results.records.ctf.ros2_trace import Ros2Trace, read_traces, trace_folders
from wirecost.results.records.probe_log import (
    EVENTS,
    KINDS,
    RECORD,
    SUFFIX,
    ProbeLog,
    events_of,
    read_logs,
)
from wirecost.system.errors import UserError

LOGS = "logs"
"""The folder of a run's logs in its folder."""
MOST_LOOKED_AT = 1000
AT_ONCE = 1 << 20
"""Records of a table of traces, unless one section has more."""


@dataclass(frozen=True)
class TraceLog(ProbeLog):
    """One thread of a trace, as if a probe had recorded it."""

    trace: Ros2Trace = field(kw_only=True, repr=False)
    index: int = field(kw_only=True)

    def events(self) -> pl.DataFrame:
        table = _of_trace(self.trace, self.trace.rows(range(len(self.trace.sections)), self.index))
        return table.sort("end_ns", maintain_order=True)

    @property
    def count(self) -> int:
        return self.trace.counts_of_threads()[self.index]


def is_recorded(path: Path) -> bool:
    """Return whether a path looks like a probe log, a folder of them, or a trace."""
    if not path.is_dir():
        return path.suffix == SUFFIX
    return any(_with_logs(path).glob("*" + SUFFIX)) or bool(trace_folders(path))


def read_recorded(paths: Iterable[Path]) -> list[ProbeLog]:
    """Return the logs of files and folders; a folder may be a trace.

    Raises UserError on what is neither.
    """
    every = [_with_logs(path) for path in paths]
    plain = [path for path in every if not path.is_dir() or any(path.glob("*" + SUFFIX))]
    traced = [path for path in every if path not in plain]
    return [*read_logs(plain), *chain.from_iterable(map(_of_folder, traced))]


def _with_logs(path: Path) -> Path:
    """Return the folder itself, or its ``logs``, which a run of ``probe try`` keeps them in."""
    logs = path / LOGS
    if logs.is_dir() and any(logs.glob("*" + SUFFIX)) and not any(path.glob("*" + SUFFIX)):
        return logs
    return path


def _elsewhere(path: Path) -> str:
    """Say where logs are, below a folder that holds none; ``another folder`` if nowhere."""
    for pattern in (f"*/*{SUFFIX}", f"*/*/*{SUFFIX}", f"*/*/*/*{SUFFIX}"):
        if parents := sorted({file.parent for file in islice(path.glob(pattern), MOST_LOOKED_AT)}):
            more = f" or one of {len(parents) - 1} more like it" if len(parents) > 1 else ""
            return f"{parents[0]}{more}"
    return "another folder"


def _of_folder(path: Path) -> list[TraceLog]:
    if not trace_folders(path):
        raise UserError(
            f"{path}: holds neither a probe log (*{SUFFIX}) nor a trace; name {_elsewhere(path)}"
        )
    logs = [log for trace in read_traces(path) for log in _logs(trace)]
    if not logs:
        raise UserError(f"{path}: a trace without events of ROS 2 (ros2:*); name another trace")
    return logs


def _logs(trace: Ros2Trace) -> Iterator[TraceLog]:
    lacks = tuple(trace.lacks())
    for index, (process, thread, program) in enumerate(trace.threads):
        yield TraceLog(
            path=trace.folder,
            program=program,
            process=process,
            thread=thread,
            thread_name="",
            counters=(),
            names={},
            records=np.zeros(0, RECORD),
            wall_minus_monotonic_ns=trace.epoch_ns,
            dropped=0,
            unclosed=0,
            unmatched=0,
            ended=True,
            lacks=lacks if index == 0 else (),
            trace=trace,
            index=index,
        )


def event_tables(logs: list[ProbeLog]) -> Iterator[pl.DataFrame]:
    """Yield the events of all logs (columns: ``EVENTS``), each section's in one table only.

    Of traces, which may be large, a table has ``AT_ONCE`` records or one section. There is at least
    one table, though it may be empty.
    """
    traces = list({id(log.trace): log.trace for log in logs if isinstance(log, TraceLog)}.values())
    if not all(isinstance(log, TraceLog) for log in logs):
        yield events_of(logs)
        return
    # Not kept here while the caller works with it.
    yield from (_table(traces, names) for names in _at_once(traces))


def _at_once(traces: list[Ros2Trace]) -> Iterator[set[str]]:
    """Yield the names of sections whose records make a table."""
    counts: Counter[str] = Counter()
    for trace in traces:
        for name, count in zip(trace.sections, trace.reader.counts(), strict=True):
            counts[name] += count
    names: set[str] = set()
    records = 0
    for name, count in (+counts).items():
        if names and records + count > AT_ONCE:
            yield names
            names, records = set(), 0
        names.add(name)
        records += count
    yield names


def _table(traces: list[Ros2Trace], names: set[str]) -> pl.DataFrame:
    numbers = [[i for i, name in enumerate(t.sections) if name in names] for t in traces]
    parts = [_of_trace(t, t.rows(chosen)) for t, chosen in zip(traces, numbers, strict=True)]
    return pl.concat(parts)


def _of_trace(trace: Ros2Trace, rows: dict[str, np.ndarray[Any, Any]]) -> pl.DataFrame:
    names = pl.Series(trace.sections, dtype=pl.String)
    threads = np.array([thread[:2] for thread in trace.threads], np.uint32).reshape(-1, 2)
    count = len(rows["begin_ns"])
    columns: Mapping[str, Any] = {
        "process": threads[rows["thread"], 0],
        "thread": threads[rows["thread"], 1],
        "kind": pl.Series([KINDS.get(i) for i in range(max(KINDS) + 1)]).gather(rows["kind"]),
        "section": names.gather(rows["section"]),
        "parent": pl.concat([pl.Series([None], dtype=pl.String), names]).gather(rows["parent"]),
        "depth": rows["depth"],
        "part": np.zeros(count, np.uint16),
        "loop": rows["loop"],
        "value": np.zeros(count, np.int64),
        "begin_ns": rows["begin_ns"],
        "end_ns": rows["end_ns"],
        "wall_ns": rows["begin_ns"] + np.int64(trace.epoch_ns),
        "scaled": np.zeros(count, np.bool_),
        "message": pl.Series(rows["message"]).replace(0, None),
    }
    return pl.DataFrame(columns, schema=EVENTS)
