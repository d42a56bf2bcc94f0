# SPDX-License-Identifier: Apache-2.0
"""Prices of a path learnt from messages of several sizes that real processes sent and took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np

from wirecost.measure.cost.least_squares import nonnegative
from wirecost.measure.cost.paths import PUBLISH_TERMS, TAKE_TERMS, PathPrice, terms

TERMS = {"publish": PUBLISH_TERMS, "take": TAKE_TERMS}
LIKELY = 90
"""Percentile of the errors that a spread says."""


@dataclass(frozen=True)
class PathObservation:
    """Nanoseconds of processor time per message without the codec, of one turn.

    ``hz``: messages a second, None as usual for the size.
    """

    size: float
    subscribers: int
    send_ns: float
    receive_ns: float
    hz: float | None = None

    def ns(self, stage: str) -> float:
        """Return the time of a stage, ``publish`` or ``take``."""
        return self.send_ns if stage == "publish" else self.receive_ns


def fitted_path(
    client: str,
    middleware: str,
    seen: Sequence[PathObservation],
    about: Mapping[str, str],
    *,
    is_own: bool = True,
) -> PathPrice:
    """Return the prices that differ least, in relation, from what was measured.

    Copies, fragments and buffers make no straight line of a message's size: between the sizes that
    were measured with one subscriber, their times are the prices.
    """
    parts = {}
    for stage, names in TERMS.items():
        counts = [
            [terms(one.size, one.subscribers, middleware, one.hz)[name] for name in names]
            for one in seen
        ]
        parts[stage], _ = least_relative(
            names, counts, [observation.ns(stage) for observation in seen]
        )
    fit = PathPrice(client, middleware, parts["publish"], parts["take"], {}, about, is_own)
    fit = replace(fit, measured={stage: _by_size(stage, seen) for stage in TERMS})
    return replace(fit, spread={stage: _spread(fit, stage, seen) for stage in TERMS})


def _priced(fit: PathPrice, stage: str, one: PathObservation) -> float:
    if stage == "publish":
        return fit.send_ns(one.size, one.subscribers, one.hz)
    return fit.receive_ns(one.size, one.hz)


def _by_size(stage: str, seen: Sequence[PathObservation]) -> list[tuple[float, float]]:
    """Return sizes and median times with one subscriber; a larger message takes no less.

    They are those of the usual rates, or of all where none has its usual one.
    """
    times: dict[float, list[float]] = {}
    for observation in [one for one in seen if one.hz is None] or seen:
        if observation.subscribers == 1 and observation.ns(stage) > 0:
            times.setdefault(observation.size, []).append(observation.ns(stage))
    sizes = sorted(times)
    return list(zip(sizes, not_falling([median(times[size]) for size in sizes]), strict=True))


def not_falling(values: Sequence[float]) -> list[float]:
    """Return means of neighbours where a value is below the one before it, else the values."""
    groups: list[list[float]] = []
    for value in values:
        groups.append([value])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    return [fmean(group) for group in groups for _ in group]


def _spread(fit: PathPrice, stage: str, seen: Sequence[PathObservation]) -> float:
    """Return the relative error that nine in ten of the times stay below."""
    errors = [
        abs(_priced(fit, stage, observation) / observation.ns(stage) - 1)
        for observation in seen
        if observation.ns(stage) > 0
    ]
    return float(np.percentile(errors, LIKELY)) if errors else 1.0


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
