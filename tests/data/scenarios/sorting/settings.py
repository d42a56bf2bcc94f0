# SPDX-License-Identifier: Apache-2.0
"""Sort numbers by Python and by NumPy."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option

EXAMPLE = "wirecost bench --from tests/data/scenarios sorting --samples 10"


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the race."""

    numbers: tuple[int, ...] = option.setting(
        (100, 1000), "Numbers to sort.", check=option.within(1, 1_000_000)
    )
    samples: int = option.samples(20, "Samples of each contender.")
