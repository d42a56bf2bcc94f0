# SPDX-License-Identifier: Apache-2.0
"""The samples of one contender of ``bench osi``: measured steps joined with its models' logs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from wirecost.results.records.probe_export import MESSAGES, MODEL_EVENTS
from wirecost.results.records.probe_log import SUFFIX, ProbeLog
from wirecost.results.records.probe_log import read_logs as read_probe_logs
from wirecost.results.records.setlevel import EVENTS, PerformanceLog, read_logs
from wirecost.results.records.stages import MEASURED, OF_SENSOR_VIEW, step_stages, with_sums
from wirecost.system.errors import UserError

PARTS = len(MEASURED) + 1
"""Parts of a step: both models release a message."""
Turn = tuple[int, list[int]]
"""Number of the first of consecutive steps, and nanoseconds of transfer each."""


def step_samples(turns: Iterable[Turn], logs: Path) -> pl.DataFrame:
    """Return a row per step and stage: stage, repetition, ns, bytes.

    The first step that the logs do not hold in full, and those behind it, are left out. Raises
    UserError where they hold none.
    """
    steps: list[int] = []
    transfers: list[int] = []
    for first, transfer_ns in turns:
        steps += range(first, first + len(transfer_ns))
        transfers += transfer_ns
    stages = pl.concat([step_stages(events) for events in _events(logs)])
    transfer = pl.DataFrame({"step": steps, "stage": "transfer", "ns": transfers})
    sizes = _sizes(stages, "source_generation", "view").join(
        _sizes(stages, "model_serialization", "data"), on="step"
    )
    counted = pl.DataFrame({"step": steps, "repetition": range(len(steps))})
    parts = pl.concat([stages, transfer], how="diagonal").join(counted, on="step")
    cut = parts.group_by("repetition").len().filter(pl.col("len") < PARTS)["repetition"].min()
    if cut is not None:
        parts = parts.filter(pl.col("repetition") < cut)
    # Both models release their message; the stage is their sum.
    measured = parts.group_by("step", "repetition", "stage", maintain_order=True).agg(
        pl.col("ns").sum()
    )
    samples_of_steps = (
        with_sums(measured, ["step", "repetition"])
        .join(sizes, on="step")
        .with_columns(
            bytes=pl.when(pl.col("stage").is_in(OF_SENSOR_VIEW)).then("view").otherwise("data")
        )
        .select("stage", "repetition", "ns", "bytes")
        .sort("repetition", maintain_order=True)
    )
    if samples_of_steps.is_empty():
        raise UserError(f"{logs}: the models' logs hold none of the measured steps")
    return samples_of_steps


def _sizes(stages: pl.DataFrame, stage: str, name: str) -> pl.DataFrame:
    return stages.filter(pl.col("stage") == stage).select("step", pl.col("size").alias(name))


def _events(logs: Path) -> list[pl.DataFrame]:
    """Return each model's events.

    They are from its performance log or, where it was killed before it had written that, from the
    probe logs that it left. Raises UserError.
    """
    try:
        files = sorted(logs.iterdir())
    except OSError as error:
        raise UserError(f"{logs}: {error.strerror}; the models' logs are needed") from error
    by_model: dict[str, list[pl.DataFrame]] = {}
    for probe_log in read_probe_logs([file for file in files if file.suffix == SUFFIX]):
        for (model,), part in _marks(probe_log).group_by("model"):
            by_model.setdefault(str(model), []).append(part)
    tables = [pl.concat(parts).sort("time_ns").select(list(EVENTS)) for parts in by_model.values()]
    for file in files:
        if file.suffix == ".json":
            tables += [log.events for log in _written(file) if log.model not in by_model]
    if not tables:
        raise UserError(f"{logs}: the models left no log; make room there and measure again")
    return tables


def _written(file: Path) -> list[PerformanceLog]:
    try:
        return read_logs(file)
    except UserError:  # its model was killed while it wrote this, and its probe logs are there
        return []


def _marks(log: ProbeLog) -> pl.DataFrame:
    """Return a model's events in a probe log (docs/formats/performance-log.md)."""
    marks = log.events().filter(
        (pl.col("kind") == "mark")
        & pl.col("parent").is_in(MESSAGES)
        & (pl.col("part") < len(MODEL_EVENTS))
    )
    return marks.select(
        model=pl.col("section"),
        event=pl.Series(MODEL_EVENTS).gather(marks["part"].cast(pl.UInt32)),
        time_ns=pl.col("begin_ns"),
        simulation_time=pl.lit(0.0),
        message=pl.col("parent"),
        size=pl.col("value"),
    )
