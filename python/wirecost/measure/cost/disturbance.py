# SPDX-License-Identifier: Apache-2.0
"""What others took of the processors while prices were measured, by which these are less sure.

Beside another program, a processor shares its caches and its clock: at worst a message takes as
long again. So a time is wrong by as much as others were there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from math import hypot

from wirecost.measure.cost.paths import PathTable
from wirecost.measure.cost.prices import PriceList
from wirecost.observe.usage import machine
from wirecost.observe.usage.meter import Meter
from wirecost.system.closing import Closing

OTHERS = "others"
"""What prices say of those in whose company they were measured."""
NOTICED = 0.05
"""Share of the processors that is said; a few daemons take less."""


class Others(Closing):
    """Programs of no stand-in's, from when it is made."""

    def __init__(self) -> None:
        self._begin_s, self._before = time.monotonic(), machine.read()
        self._own = Meter([os.getpid()], use_group=False)

    def share(self) -> float:
        """Return the share of all processors that they took so far."""
        processors_ns = 1e9 * (time.monotonic() - self._begin_s) * (os.cpu_count() or 1)
        busy_ns = (machine.read() - self._before).busy_ns
        return min(1.0, max(0.0, (busy_ns - self._own.read().cpu_ns) / processors_ns))

    def close(self) -> None:
        self._own.close()


def disturbed(prices: PriceList, share: float) -> PriceList:
    """Return prices that are as unsure as a share of the processors makes them."""
    about = dict(prices.about)
    if share >= NOTICED:
        about[OTHERS] = f"{100 * share:.0f} %"
    codecs = {
        name: replace(one, spread=_wider(one.spread, share)) for name, one in prices.prices.items()
    }
    paths = {
        name: replace(one, spread=_wider(one.spread, share))
        for name, one in prices.paths.paths.items()
    }
    return replace(prices, about=about, prices=codecs, paths=PathTable(paths))


def _wider(spread: Mapping[str, float], share: float) -> dict[str, float]:
    return {stage: hypot(error, share) for stage, error in spread.items()}
