# SPDX-License-Identifier: Apache-2.0
"""Prices of this machine, as ``wirecost cost --calibrate`` measures them, where it has none yet."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.measure.cost.calibration import CalibratedEnds, calibrated
from wirecost.measure.cost.path_calibration import MEASURED, measured_path
from wirecost.measure.cost.paths import PathTable
from wirecost.measure.cost.prices import (
    PriceList,
    keep,
    known_prices,
    machine_name,
    own_path,
    own_prices,
)

from .truth import Say

ROSPY = "rospy"


def calibrate_codecs(lang: str, wire: str, python: Path | None, say: Say) -> None:
    """Measure a language's codecs on a wire, unless they are known. Raises UserError."""
    names = [name.split() for name in own_prices().prices]
    if not any((first, last) == (lang, wire) for first, _, last in names):
        say(f"measuring {lang} codecs of {wire}")
        ends, ros2 = CalibratedEnds(lang, wire), Ros2Installation(python)
        _keep(calibrated([ends], ros2, lambda _text: None))


def calibrate_paths(ways: Sequence[tuple[str, str]], python: Path, say: Say) -> None:
    """Measure what is not known of these client libraries over middlewares.

    Raises UserError, ProgramFailedError.
    """
    for path in MEASURED:
        name = f"{path.client} {path.middleware}"
        if (path.client, path.middleware) in ways and name not in own_prices().paths.paths:
            where = None if path.client == ROSPY else python
            price = measured_path(path, where, known_prices(), {}, say)
            _keep(PriceList(_about(), paths=PathTable({price.name: price}), is_own=True))


def _keep(prices: PriceList) -> None:
    keep(prices.over(own_prices()), own_path())


def _about() -> dict[str, str]:
    return {"machine": machine_name(), "date": time.strftime("%Y-%m-%d")}
