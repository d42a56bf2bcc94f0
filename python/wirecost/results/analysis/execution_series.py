# SPDX-License-Identifier: Apache-2.0
"""Times of many executions in few numbers, for drawing: nothing here loses the longest ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


def envelope(y: Array, buckets: int) -> pl.DataFrame:
    """Return shortest, median and longest of each bucket of successive values.

    Columns ``first`` and ``last`` (indices), ``low``, ``middle``, ``high``.
    """
    edges = np.linspace(0, len(y), min(buckets, len(y)) + 1).astype(np.intp)
    parts = [y[a:b] for a, b in pairwise(edges)]
    return pl.DataFrame(
        {
            "first": edges[:-1],
            "last": edges[1:] - 1,
            "low": [float(part.min()) for part in parts],
            "middle": [float(np.median(part)) for part in parts],
            "high": [float(part.max()) for part in parts],
        }
    )


def thinned(x: Array, y: Array, most: int) -> Indices:
    """Choose the points (x, y) to draw, about ``most`` of them, in order.

    All where they are few; else the lowest and the highest of each of ``most / 4`` intervals of x,
    and every n-th of all.
    """
    if len(x) <= most:
        return np.arange(len(x))
    buckets = max(1, most // 4)
    low, high = float(x.min()), float(x.max())
    part = (x - low) / (high - low) if high > low else np.zeros(len(x))
    bucket = np.minimum((part * buckets).astype(np.intp), buckets - 1)
    rows = pl.DataFrame({"bucket": bucket, "y": y}).with_row_index("at")
    extremes = rows.group_by("bucket").agg(
        low=pl.col("at").get(pl.col("y").arg_min()), high=pl.col("at").get(pl.col("y").arg_max())
    )
    regular = np.arange(0, len(x), -(-2 * len(x) // most))
    ends = extremes["low"].to_numpy(), extremes["high"].to_numpy(), [x.argmin(), x.argmax()]
    indices: Indices = np.unique(np.concatenate([*ends, regular])).astype(np.intp)
    return indices


def windows(at: Array, y: Array, percents: Iterable[float], most: int, fewest: int) -> pl.DataFrame:
    """Return percentiles of y in windows of equally many successive values, ``fewest`` at least.

    ``at`` is when each was; columns ``at`` (the window's middle), ``count`` and ``p<percent>``.
    """
    percents = list(percents)
    count = max(1, min(most, len(y) // fewest))
    edges = np.linspace(0, len(y), count + 1).astype(np.intp)
    rows = [
        {"at": float(at[a:b].min() / 2 + at[a:b].max() / 2), "count": int(b - a)}
        | {
            f"p{p:g}": float(v)
            for p, v in zip(percents, np.percentile(y[a:b], percents), strict=True)
        }
        for a, b in pairwise(edges)
    ]
    return pl.DataFrame(rows)


def histogram(y: Array, bins: int, logarithmic: bool) -> pl.DataFrame:
    """Return the columns ``low``, ``high``, ``count``.

    Empty bins are left out. Logarithmic needs y > 0.
    """
    low, high = float(y.min()), float(y.max())
    if high <= low:
        high = low + max(1.0, abs(low) * 1e-6)
    edges = np.geomspace(low, high, bins + 1) if logarithmic else np.linspace(low, high, bins + 1)
    edges[0], edges[-1] = low, high
    counts, _ = np.histogram(y, edges)
    table = pl.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})
    return table.filter(pl.col("count") > 0)


def tail(y: Array, points: int) -> pl.DataFrame:
    """Return the share of values that are at least so large.

    Columns are ``y`` and ``share``, from 1 to 1/n. There are at most ``points`` rows, equally far
    apart on a logarithmic axis; the largest are all there.
    """
    ranks = np.unique(np.geomspace(1, len(y), min(points, len(y))).round().astype(np.intp))
    largest = np.sort(y)[::-1]
    return pl.DataFrame({"y": largest[ranks - 1], "share": ranks / len(y)}).reverse()
