# SPDX-License-Identifier: Apache-2.0
"""Contenders in turns, in one process; what they return is compared first."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from wirecost.measure.bench.engine.entry import Entry, named
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.timing import timed
from wirecost.measure.bench.engine.turns import take_turns

from .settings import Settings

CONTENDERS = {"python": sorted, "numpy": np.sort}


def run(settings: Settings, measurement: Measurement) -> None:
    """Sort the same numbers by all contenders."""
    measurement.about(
        total=settings.samples * len(CONTENDERS) * len(settings.numbers),
        contenders={name: {"library": name} for name in CONTENDERS},
    )
    for count in settings.numbers:
        given = np.random.default_rng(1).random(count)
        name = f"{count} numbers"
        entries = [Entry(key, sort, named(name, key)) for key, sort in CONTENDERS.items()]
        with measurement.case(name, entries, settings.samples) as case:
            for entry in entries:
                if list(entry.contender(given)) != sorted(given):
                    entry.failure = "it does not sort"
            take_turns(case, settings.samples, 1, partial(_turn, given))


def _turn(given: Any, sort: Any) -> dict[str, float]:
    return {"total": timed(partial(sort, given))}
