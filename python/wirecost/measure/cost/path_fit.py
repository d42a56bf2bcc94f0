# SPDX-License-Identifier: Apache-2.0
"""Prices of a path learnt from messages of several sizes that real processes sent and took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wirecost.measure.cost.least_squares import nonnegative
from wirecost.measure.cost.paths import PUBLISH_TERMS, TAKE_TERMS, PathPrice, terms

LIKELY = 90
"""Percentile of the errors that a spread says."""


@dataclass(frozen=True)
class PathObservation:
    """Nanoseconds of processor time per message without the codec, of one turn."""

    size: float
    subscribers: int
    send_ns: float
    receive_ns: float


def fitted_path(
    client: str,
    middleware: str,
    seen: Sequence[PathObservation],
    about: Mapping[str, str],
    *,
    is_own: bool = True,
) -> PathPrice:
    """Return the prices that differ least, in relation, from what was measured."""
    parts, spread = {}, {}
    for stage, names, times in (
        ("publish", PUBLISH_TERMS, [one.send_ns for one in seen]),
        ("take", TAKE_TERMS, [one.receive_ns for one in seen]),
    ):
        counts = [
            [terms(one.size, one.subscribers, middleware)[name] for name in names] for one in seen
        ]
        parts[stage], spread[stage] = least_relative(names, counts, times)
    return PathPrice(client, middleware, parts["publish"], parts["take"], spread, about, is_own)


def least_relative(
    names: Sequence[str], counts: Iterable[Sequence[float]], times: Sequence[float]
) -> tuple[dict[str, float], float]:
    """Return nanoseconds by name, none of them negative, and the relative error of a time."""
    values, ns = np.array(list(counts), np.float64), np.array(times, np.float64)
    is_known = np.isfinite(ns) & (ns > 0)
    values, ns = values[is_known], ns[is_known]
    weighted = values / ns[:, None]
    scale = np.where(weighted.any(0), np.abs(weighted).max(0), 1.0)
    solution = nonnegative(weighted / scale, np.ones(len(ns))) / scale
    errors = np.abs(values @ solution / ns - 1)
    spread = float(np.percentile(errors, LIKELY)) if len(errors) else 1.0
    return {name: float(v) for name, v in zip(names, solution, strict=True) if v}, spread
