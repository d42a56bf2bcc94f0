# SPDX-License-Identifier: Apache-2.0
"""From events to stages: how long each part of a step took."""

from __future__ import annotations

import polars as pl

INTERVALS: dict[tuple[str, str], str] = {
    ("StartSourceCalc", "StartOSISerialize"): "source_generation",
    ("StartOSIDeserialize", "StopOSIDeserialize"): "model_deserialization",
    ("StopOSIDeserialize", "StartOSISerialize"): "model_calculation",
    ("StopOSISerialize", "StopRelease"): "release",
}
"""The stage between two successive events of a step; serialization depends on the model."""

MEASURED = (
    "source_generation",
    "source_serialization",
    "transfer",
    "model_deserialization",
    "model_calculation",
    "model_serialization",
    "release",
)
SUMS = {
    "source": ("source_generation", "source_serialization"),
    "model": ("model_deserialization", "model_calculation", "model_serialization"),
    "total": MEASURED,
}
STAGES = (*MEASURED, *SUMS)
OF_SENSOR_VIEW = {
    "source_generation",
    "source_serialization",
    "transfer",
    "model_deserialization",
    "source",
    "total",
}
"""Stages whose ``bytes`` and ``digest`` are the sensor view's; the others' the sensor data's."""

_OF_SOURCE, _OF_MODEL = "source_serialization", "model_serialization"
_STARTS = ("StartSourceCalc", "StartOSIDeserialize")


def step_stages(events: pl.DataFrame) -> pl.DataFrame:
    """Columns step, stage, ns, size: one row for each interval of each step of one model.

    A step begins with StartSourceCalc or StartOSIDeserialize. Steps that a killed run cut
    short keep the intervals they completed.
    """
    numbered = events.with_columns(
        step=pl.col("event").is_in(_STARTS).cum_sum().cast(pl.Int64) - 1,
    ).filter(pl.col("step") >= 0)
    following = numbered.with_columns(
        next_event=pl.col("event").shift(-1).over("step"),
        ns=pl.col("time_ns").shift(-1).over("step") - pl.col("time_ns"),
        is_source=(pl.col("event").first().over("step") == "StartSourceCalc"),
    )
    event, follower = pl.col("event"), pl.col("next_event")
    stage: pl.Expr = pl.lit(None, dtype=pl.String)
    for (first, second), name in INTERVALS.items():
        stage = pl.when((event == first) & (follower == second)).then(pl.lit(name)).otherwise(stage)
    serialization = pl.when("is_source").then(pl.lit(_OF_SOURCE)).otherwise(pl.lit(_OF_MODEL))
    is_serialization = (event == "StartOSISerialize") & (follower == "StopOSISerialize")
    stage = pl.when(is_serialization).then(serialization).otherwise(stage)
    return (
        following.with_columns(stage=stage)
        .drop_nulls("stage")
        .select("step", "stage", "ns", "size")
    )


def with_sums(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Add the rows source, model and total; ``keys`` name one step of one contender."""
    sums = [
        samples.filter(pl.col("stage").is_in(parts))
        .group_by(keys, maintain_order=True)
        .agg(pl.col("ns").sum())
        .with_columns(stage=pl.lit(name))
        for name, parts in SUMS.items()
    ]
    return pl.concat([samples, *sums], how="diagonal")
