# SPDX-License-Identifier: Apache-2.0
"""Executions of callbacks and waits, as probes and traces recorded them, a topic each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import COUNTER, ProbeLog
from wirecost.results.report.series import mcap_file
from wirecost.results.report.series.mcap_file import Channel, SeriesPart, Written
from wirecost.results.report.series.messages import MessageType, Numbers
from wirecost.results.report.series.names import (
    Distinct,
    field_name,
    section_levels,
    spelling,
    topic,
)
from wirecost.system.progress import Progress, silent

PERIOD = "period_us"
EXECUTION = {
    "turnaround_us": "Microseconds from the start of the execution to its end.",
    PERIOD: "Microseconds from the start of the execution before to the start of this one.",
    "loop": "The step that the program set, or the number of the execution.",
    "value": "The value that the program gave; of callbacks of ROS 1 the message's bytes.",
}
SPAN = MessageType(
    "Span",
    "A time that has no counters: a wait, a publication, or from a mark to the next one. A "
    "message's time is its start.",
    {
        "duration_us": "Microseconds from its start to its end.",
        PERIOD: "Microseconds from the start of the one before to the start of this one.",
        "loop": EXECUTION["loop"],
        "value": EXECUTION["value"],
    },
)
CLOCK = "a message's time is when the execution started, by the system's clock"


def write_logs(logs: Sequence[ProbeLog], out: Path, advance: Progress = silent) -> Written:
    """Write the logs of any number of threads and processes. Raises UserError."""
    parts = execution_parts([("", logs)], out)
    return mcap_file.write(out, parts, {"source": "probe logs", "clock": CLOCK}, advance)


def execution_parts(runs: Iterable[tuple[str, Sequence[ProbeLog]]], out: Path) -> list[SeriesPart]:
    """Return series of all runs, each with its name, a level of its topics, and its logs.

    ``out``: where they are to be written. Raises UserError.
    """
    runs = list(runs)
    series = _Series(out, _counters(log for _, logs in runs for log in logs))
    for run, logs in runs:
        of_program: dict[str, set[int]] = defaultdict(set)
        for log in logs:
            of_program[log.program].add(log.process)
        for log in logs:
            several = len(of_program[log.program]) > 1
            series.add(run, f"{log.program}-{log.process}" if several else log.program, log)
    return series.parts()


def _counters(logs: Iterable[ProbeLog]) -> dict[str, tuple[str, str]]:
    """Return field and comment of each counter that any log has, by its column."""
    distinct = Distinct(spelling)
    for name in EXECUTION:
        distinct.name(name)
    counters = {
        counter.name: counter for log in logs for counter in log.counters if counter.status != "n/a"
    }
    return {
        COUNTER + name: (
            distinct.name(field_name(name)),
            f"Counter {name}, from the start of the execution to its end"
            + (f"; source: {counter.source}." if counter.source else "."),
        )
        for name, counter in counters.items()
    }


@dataclass
class _Series:
    out: Path
    counters: dict[str, tuple[str, str]]
    topics: Distinct = field(default_factory=Distinct)
    found: dict[tuple[str, str, int, str, bool], tuple[Channel, list[SeriesPart]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.execution = MessageType(
            "Execution",
            "An execution of a callback or section. A message's time is its start.",
            EXECUTION | dict(self.counters.values()),
        )

    def add(self, run: str, program: str, log: ProbeLog) -> None:
        executed = executions(log.events())
        of_kinds = executed.group_by(["section", pl.col("kind") == "section"], maintain_order=True)
        for (section, counted), rows in of_kinds:
            name = str(section)
            key = (run, log.program, log.process, name, bool(counted))
            if key not in self.found:
                if len(self.found) == mcap_file.MOST_CHANNELS:
                    raise mcap_file.too_many(self.out)
                levels = [run, *section_levels(program, name)]
                topic_name = topic(*(level for level in levels if level))
                about = {"section": name, "program": log.program, "process": str(log.process)}
                kind = self.execution if counted else SPAN
                self.found[key] = Channel(self.topics.name(topic_name), kind, about), []
            channel, parts = self.found[key]
            parts.append(
                SeriesPart(channel, rows["wall_ns"].to_numpy(), self._columns(rows, channel))
            )

    def parts(self) -> list[SeriesPart]:
        all_parts = []
        for _, parts in self.found.values():
            all_parts += [
                SeriesPart(part.channel, part.times, {**part.columns, PERIOD: period})
                for part, period in zip(parts, _periods(parts), strict=True)
            ]
        return all_parts

    def _columns(self, rows: pl.DataFrame, channel: Channel) -> dict[str, Numbers]:
        """Return numbers of its rows.

        Without counters that have no value, and what the program never set.
        """
        duration = next(iter(channel.kind.fields))
        columns = {duration: rows["ns"].cast(pl.Float64).to_numpy() / 1e3}
        for name in ("loop", "value"):
            if (rows[name] != 0).any():
                columns[name] = rows[name].cast(pl.Float64).to_numpy()
        if channel.kind is self.execution:
            for name, (field_, _) in self.counters.items():
                if name in rows.columns and rows[name].null_count() < len(rows):
                    columns[field_] = rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return columns


def _periods(parts: list[SeriesPart]) -> list[Numbers]:
    """Return periods of the channel's executions in all threads; NaN for the first one."""
    times = np.concatenate([part.times for part in parts])
    order = np.argsort(times, kind="stable")
    periods = np.full(len(times), np.nan)
    periods[order[1:]] = np.diff(times[order]) / 1e3
    return np.split(periods, np.cumsum([len(part.times) for part in parts])[:-1])
