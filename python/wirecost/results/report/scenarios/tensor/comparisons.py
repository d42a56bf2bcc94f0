# SPDX-License-Identifier: Apache-2.0
"""Ratios that the summary has not: to Wrapyfi with the same object, of several stages together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.intervals import Array, Estimate, Resampler, ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.report.scenarios.tensor.contenders import (
    WRAPYFI,
    in_process,
    is_wrapyfi,
    library,
    plugin_of,
)


@dataclass(frozen=True)
class ComparedSeries:
    """One contender's samples of one case."""

    case: str
    contender: str
    plugin: str


class Comparisons:
    """Ratios of the medians of two contenders with the same object."""

    def __init__(self, results: Results) -> None:
        self._samples = with_all_columns(results.samples).filter(pl.col("plugin") != "")

    def ratio(self, one: Row, other: str, stages: tuple[str, ...] = ("total",)) -> Estimate | None:
        """Compare the stages' sum, message by message; None where the other was not measured."""
        first, second = (
            ComparedSeries(one.case, name, plugin_of(one)) for name in (one.contender, other)
        )
        return between(self._samples, first, second, stages)


def between(
    samples: pl.DataFrame,
    one: ComparedSeries,
    other: ComparedSeries,
    stages: tuple[str, ...] = ("total",),
) -> Estimate | None:
    """Compare any two series likewise."""
    first, second = (_messages(samples, series, stages) for series in (one, other))
    if not len(first) or not len(second):
        return None
    each = round(max(len(first), len(second)) / first["process"].n_unique())
    (ns, resampled), (to, to_resampled) = (_resampled(of, each) for of in (first, second))
    return ratio(ns, resampled, to, to_resampled)


def _messages(
    samples: pl.DataFrame, series: ComparedSeries, stages: tuple[str, ...]
) -> pl.DataFrame:
    part = samples.filter(
        pl.col("stage").is_in(stages), case=series.case, contender=series.contender,
        plugin=series.plugin,
    )  # fmt: skip
    return part.group_by("process", "repetition").agg(pl.col("ns").sum()).sort(pl.all())


def _resampled(series: pl.DataFrame, each: int) -> tuple[Array, Array]:
    """Return nanoseconds, and the medians of what is drawn of them."""
    ns = series["ns"].to_numpy().astype(np.float64)
    return ns, Resampler(series["process"].to_numpy(), each).medians(ns)


def beside(row: Row, rows: list[Row]) -> str | None:
    """Return Wrapyfi over the same library, else over ZeroMQ, else any, with the same object."""
    there = [
        other.contender
        for other in rows
        if is_wrapyfi(other.contender)
        and (other.case, plugin_of(other)) == (row.case, plugin_of(row))
        and in_process(other.contender) == in_process(row.contender)
    ]
    same = f"{WRAPYFI}{library(row.contender)}"
    preferred = (same, f"{WRAPYFI}zeromq", *there)
    return next((name for name in preferred if name in there), None)
