# SPDX-License-Identifier: Apache-2.0
"""Numbers that a time follows: forward selection in linear models.

A model grows by what explains most of the variance that is left, as long as that is a notable part
(Draper and Smith, Applied Regression Analysis, ch. 15).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wirecost.results.analysis.causes.kinds import is_work
from wirecost.results.analysis.causes.linear import DUST, Correlations

NOTABLE = 0.02
CHANCE = 10.0
"""A number without influence explains about 1/n of the variance; ten times that is not chance."""
ENOUGH = 0.9
"""Events and input that explain this part of what all numbers do are reported without the rest."""
ALIKE, ALIKE_LEFT = 0.95, 1.5


@dataclass(frozen=True)
class Followed:
    """A number that the time follows, by its index, with the model that showed it."""

    index: int
    model: Correlations
    slope: float
    """Nanoseconds for one more, in that model."""


def followed(models: Iterable[Correlations], names: list[str]) -> list[Followed]:
    """Select model after model; each starts from what those before it have found."""
    causes: list[Followed] = []
    for model in models:
        before = [cause.index for cause in causes]
        new = sorted(set(_selected(model, names, before)) - set(before))
        if new:
            slopes = model.slopes([*before, *new])[len(before) :]
            causes += [Followed(i, model, float(s)) for i, s in zip(new, slopes, strict=True)]
    return causes


def rivals(cause: Followed, names: list[str], chosen: list[int]) -> list[str]:
    """Return the numbers that would explain about as much in the place of ``one`` of ``chosen``."""
    model = cause.model
    others = [j for j in chosen if j != cause.index]
    with_cause, without = model.left(chosen) + DUST, model.left(others) + DUST
    if without <= with_cause:
        return []
    rival_names = []
    for j, name in enumerate(names):
        if j in chosen or is_work(name) or not model.varies[j]:
            continue
        if model.slopes([*others, j])[-1] <= 0:
            continue
        instead = model.left([*others, j]) + DUST
        part = (without - instead) / (without - with_cause)
        # Too few executions to distinguish them, or next to no difference.
        doubtful = part > 0.5 and model.count * np.log(instead / with_cause) < CHANCE
        if doubtful or (part >= ALIKE and instead <= ALIKE_LEFT * with_cause):
            rival_names.append(name)
    return rival_names


def _selected(model: Correlations, names: list[str], start: list[int]) -> list[int]:
    """Return the indices of the numbers that the time follows, ``start`` among them.

    Whatever takes time executes instructions, so counts of work are reported only where events and
    input leave much unexplained.
    """
    if model.spread == 0:
        return start
    varying = [i for i in range(len(names)) if model.varies[i]]
    by_events = _grown(model, [i for i in varying if not is_work(names[i])], start)
    by_all = _grown(model, varying, start)
    enough = 1 - model.left(by_events) >= ENOUGH * (1 - model.left(by_all))
    return by_events if enough else by_all


def _grown(model: Correlations, candidates: list[int], start: list[int]) -> list[int]:
    """Return ``start`` and the candidates that join it, one by one."""
    chosen = list(start)
    while (best := _best(model, candidates, chosen, start)) is not None:
        chosen.append(best)
    for i in reversed(chosen[len(start) :]):
        # What joined first may be the sum of what joined later.
        others = [j for j in chosen if j != i]
        if others != start and model.left(others) - model.left(chosen) < NOTABLE / 2:
            chosen = others
    return chosen


def _best(
    model: Correlations, candidates: list[int], chosen: list[int], start: list[int]
) -> int | None:
    """Return the candidate that explains most of what is left; None where that is not notable."""
    unexplained = model.left(chosen)
    lefts = {
        i: model.left([*chosen, i])
        for i in candidates
        # One fault more makes nothing quicker: a falling line is another number's shadow.
        if i not in chosen and (model.slopes([*chosen, i])[len(start) :] > 0).all()
    }
    best = min(lefts, key=lambda i: lefts[i], default=None)
    if best is None or unexplained - lefts[best] < max(NOTABLE, unexplained * CHANCE / model.count):
        return None
    return best
