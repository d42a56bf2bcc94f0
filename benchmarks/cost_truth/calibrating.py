# SPDX-License-Identifier: Apache-2.0
"""Prices of this machine, as ``wirecost cost --calibrate`` measures them, where it has none yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.measure.cost.calibration import CalibratedEnds, calibrated
from wirecost.measure.cost.path_calibration import MEASURED, path_rounds
from wirecost.measure.cost.path_fit import PathObservation, fitted_path
from wirecost.measure.cost.paths import PathPrice, PathTable
from wirecost.measure.cost.prices import (
    PriceList,
    keep,
    known_prices,
    machine_name,
    own_path,
    own_prices,
)
from wirecost.system.closing import Closing

ROSPY = "rospy"
Say = Callable[[str], None]


def calibrate_codecs(lang: str, wire: str, python: Path | None, say: Say) -> None:
    """Measure a language's codecs on a wire, unless they are known. Raises UserError."""
    names = [name.split() for name in own_prices().prices]
    if not any((first, last) == (lang, wire) for first, _, last in names):
        say(f"measuring {lang} codecs of {wire}")
        ends, ros2 = CalibratedEnds(lang, wire), Ros2Installation(python)
        _keep(calibrated([ends], ros2, lambda _text: None))


class PathRounds(Closing):
    """A path's prices, measured between what they are compared with: a machine's speed drifts.

    Methods raise UserError, ProgramFailedError.
    """

    def __init__(self, client: str, middleware: str, python: Path | None, say: Say) -> None:
        (self.path,) = (
            path for path in MEASURED if (path.client, path.middleware) == (client, middleware)
        )
        self._rounds = path_rounds(self.path, python, known_prices(), say)
        self._seen: list[PathObservation] = []

    def close(self) -> None:
        self._rounds.close()

    def measured(self) -> PathPrice:
        """Measure one round more; return and keep what all of them say."""
        self._seen += next(self._rounds)
        price = fitted_path(self.path.client, self.path.middleware, self._seen, {})
        about = {"machine": machine_name(), "date": time.strftime("%Y-%m-%d")}
        _keep(PriceList(about, paths=PathTable({price.name: price}), is_own=True))
        return price


def _keep(prices: PriceList) -> None:
    keep(prices.over(own_prices()), own_path())
