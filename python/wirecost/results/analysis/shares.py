# SPDX-License-Identifier: Apache-2.0
"""What each node of a recorded system spends on each topic, and what its processes spend elsewhere.

A section's time is without that of the sections in it, so that stages can be added: publishing
counts in ``publish`` and not in the callback that it happens in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from wirecost.results.analysis.causes.kinds import is_processor_time
from wirecost.results.analysis.ros_names import (
    SEND_SECTION,
    STATEMENT,
    TAKE_SECTION,
    RosPlace,
    place_of,
)
from wirecost.results.records.probe_log import COUNTER, ProbeLog
from wirecost.results.records.shares import ProcessShare, StageShare, SystemShares, TopicWait

WAITED = (f"{COUNTER}run-queue-wait-ns", f"{COUNTER}blocked-ns")
"""Counters of the rest of the time, which say the same together."""
PUBLISH, CALLBACK = "publish", "callback"
STAGES = {
    PUBLISH: PUBLISH,
    SEND_SECTION: PUBLISH,
    TAKE_SECTION: "take",
    "deserialize": "deserialize",
}
"""Stages of sections that are no callbacks, by their kind."""
IDLE = "executor idle"
KEYS = ("process", "thread", "kind", "section", "parent")


def shares_of(
    files: Sequence[str], tables: Iterable[pl.DataFrame], logs: Sequence[ProbeLog]
) -> SystemShares:
    """Add up the events of all logs (``records.probe_log.EVENTS``), each section's in one table."""
    sums: list[pl.DataFrame] = []
    waits: list[TopicWait] = []
    begin_ns, end_ns = None, None
    for events in tables:
        timed = _timed(events)
        if timed.is_empty():
            continue
        sums.append(_sums(timed))
        waits += _waits(timed)
        first, last = timed["begin_ns"].min(), timed["end_ns"].max()
        begin_ns = first if begin_ns is None else min(begin_ns, first)  # type: ignore[type-var]
        end_ns = last if end_ns is None else max(end_ns, last)  # type: ignore[type-var]
    whole = pl.concat(sums) if sums else _sums(_timed(pl.DataFrame(schema=_EMPTY)))
    is_processor = bool(whole["processor_ns"].is_not_null().any())
    stages = _stages(whole)
    processes = _processes(whole, stages, logs)
    shares = SystemShares(
        files=list(files),
        duration_s=max(0, (end_ns or 0) - (begin_ns or 0)) / 1e9,  # type: ignore[operator]
        is_processor=is_processor,
        stages=stages,
        waits=sorted(waits, key=lambda wait: -wait.median_ns),
        processes=processes,
    )
    stages.sort(key=lambda stage: (-(shares.cost_ns(stage) or 0.0), -stage.elapsed_ns, stage.name))
    return shares


_EMPTY = {
    "process": pl.UInt32,
    "thread": pl.UInt32,
    "kind": pl.String,
    "section": pl.String,
    "parent": pl.String,
    "begin_ns": pl.Int64,
    "end_ns": pl.Int64,
}


def _timed(events: pl.DataFrame) -> pl.DataFrame:
    """Return sections and spans with their elapsed and their processor time."""
    elapsed = (pl.col("end_ns").cast(pl.Float64) - pl.col("begin_ns").cast(pl.Float64)).clip(0)
    counters = [name for name in events.columns if name.startswith(COUNTER)]
    own = next((name for name in counters if is_processor_time(name.removeprefix(COUNTER))), None)
    if own is not None:
        processor = pl.col(own).cast(pl.Float64)
    elif set(WAITED) <= set(events.columns):
        waited = sum(pl.col(name).cast(pl.Float64) for name in WAITED)
        processor = (elapsed - waited).clip(0)
    else:
        processor = pl.lit(None, pl.Float64)
    return events.filter(
        pl.col("kind") != "mark", ~pl.col("section").str.contains(STATEMENT.pattern)
    ).select(*KEYS, "begin_ns", "end_ns", elapsed_ns=elapsed, processor_ns=processor)


def _sums(timed: pl.DataFrame) -> pl.DataFrame:
    return timed.group_by(KEYS, maintain_order=True).agg(
        count=pl.len(),
        elapsed_ns=pl.col("elapsed_ns").sum(),
        processor_ns=pl.when(pl.col("processor_ns").is_not_null().any()).then(
            pl.col("processor_ns").sum()
        ),
    )


def _waits(timed: pl.DataFrame) -> list[TopicWait]:
    shares = []
    spans = timed.filter(kind="span").group_by("process", "section", maintain_order=True)
    for (process, section), rows in spans:
        place = place_of(str(section))
        if place is None or place.kind in STAGES or place.kind == IDLE:
            continue
        shares.append(
            TopicWait(
                process=int(str(process)),
                node=place.node,
                topic=place.what,
                kind=place.kind,
                count=len(rows),
                median_ns=rows["elapsed_ns"].median() or 0.0,  # type: ignore[arg-type]
                largest_ns=rows["elapsed_ns"].max() or 0.0,  # type: ignore[arg-type]
            )
        )
    return shares


def _stages(sums: pl.DataFrame) -> list[StageShare]:
    """Return what sections took by themselves: their time less that of what ran in them."""
    places = {name: place_of(name) for name in sums["section"].unique().to_list()}
    used = _used(sums, places)
    inner = (
        used.filter(pl.col("parent").is_not_null())
        .group_by("process", pl.col("parent").alias("section"))
        .agg(pl.col("elapsed_ns", "processor_ns").sum().name.prefix("inner_"))
    )
    is_outermost = pl.col("parent").is_null() | (pl.col("parent") != pl.col("section"))
    own = (
        used.group_by("process", "section", maintain_order=True)
        .agg(
            count=pl.col("count").filter(is_outermost).sum(),
            elapsed_ns=pl.col("elapsed_ns").sum(),
            processor_ns=pl.when(pl.col("processor_ns").is_not_null().any()).then(
                pl.col("processor_ns").sum()
            ),
        )
        .join(inner, on=["process", "section"], how="left")
    )
    return [_stage(row, places[row["section"]]) for row in own.iter_rows(named=True)]


def _used(sums: pl.DataFrame, places: Mapping[str, RosPlace | None]) -> pl.DataFrame:
    """Return what takes time of a thread: sections, and publishing where only its span is known."""
    sends = {name for name, place in places.items() if place and place.kind == SEND_SECTION}
    publishing = {name for name, place in places.items() if place and place.kind == PUBLISH}
    sending = sums.filter(pl.col("section").is_in(sends))["process"].unique()
    return sums.filter(
        (pl.col("kind") == "section")
        | (pl.col("section").is_in(publishing) & ~pl.col("process").is_in(sending.implode()))
    )


def _stage(row: Mapping[str, object], place: RosPlace | None) -> StageShare:
    def without_inner(name: str) -> float | None:
        whole, inner = row[name], row[f"inner_{name}"] or 0.0
        return None if whole is None else max(0.0, float(whole) - float(inner))  # type: ignore[arg-type]

    section = str(row["section"])
    return StageShare(
        process=int(str(row["process"])),
        node=place.node if place else "",
        topic=_topic(place) if place else "",
        stage=STAGES.get(place.kind, CALLBACK) if place else CALLBACK,
        name=section,
        count=int(str(row["count"])),
        elapsed_ns=without_inner("elapsed_ns") or 0.0,
        processor_ns=without_inner("processor_ns"),
    )


def _topic(place: RosPlace) -> str:
    """Return the topic, or what else calls the node: a timer, a service."""
    if place.kind in STAGES or place.kind == "subscription":
        return place.what
    return f"{place.kind} {place.what}".rstrip()


def _processes(
    sums: pl.DataFrame, stages: Sequence[StageShare], logs: Sequence[ProbeLog]
) -> list[ProcessShare]:
    nodes: dict[int, dict[str, None]] = {}
    for stage in stages:
        if stage.node not in ("", "?"):
            nodes.setdefault(stage.process, {})[stage.node] = None
    outermost = sums.filter(pl.col("kind") == "section", pl.col("parent").is_null())
    of_threads: dict[tuple[int, int], float] = {
        (process, thread): ns
        for process, thread, ns in outermost.group_by("process", "thread")
        .agg(pl.col("processor_ns").sum())
        .iter_rows()
    }
    idle = sums.filter(pl.col("kind") == "span", pl.col("section").str.ends_with(IDLE))
    idle_ns = dict(idle.group_by("process").agg(pl.col("elapsed_ns").sum()).iter_rows())
    measured = set(sums.filter(pl.col("processor_ns").is_not_null())["process"].unique().to_list())
    shares = []
    for process in dict.fromkeys(log.process for log in logs):
        own = [log for log in logs if log.process == process]
        sections_ns = sum(ns for (of_process, _), ns in of_threads.items() if of_process == process)
        executor_ns = [
            max(0.0, log.processor_ns - of_threads.get((process, log.thread), 0.0))
            for log in own
            if log.processor_ns is not None
        ]
        is_known = process in measured
        shares.append(
            ProcessShare(
                process=process,
                program=own[0].program,
                nodes=list(nodes.get(process, ())),
                idle_ns=idle_ns.get(process, 0.0),
                sections_ns=sections_ns if is_known else None,
                executor_ns=sum(executor_ns) if is_known and executor_ns else None,
                processor_ns=_of_process(own),
            )
        )
    return shares


def _of_process(logs: Sequence[ProbeLog]) -> float | None:
    """Return the processor time of all its threads while it was recorded.

    None unless its main thread's log, or all of its logs, ended in order.
    """
    main = [log for log in logs if log.thread == log.process]
    if any(log.process_end_ns is None for log in main or logs):
        return None
    ends = [log.process_end_ns for log in logs if log.process_end_ns is not None]
    return float(max(0, max(ends) - min(log.process_begin_ns for log in logs)))
