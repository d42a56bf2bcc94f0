# SPDX-License-Identifier: Apache-2.0
"""Point clouds: two Autoware callbacks in three versions."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.system.durations import TIME, seconds
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench --from benchmarks cloud --points 30000"
STUDIES = ("ring", "area")
FORMATS = ("aedt", "radrt")


def _percents(label: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{label} {text}: give percentages, separated by commas") from None


def _check_percent(label: str, percent: float) -> None:
    if not 0 <= percent <= 100:
        raise UserError(f"{label} {percent:g}: must lie between 0 and 100 percent")


def _check_format(label: str, name: str) -> None:
    if name not in FORMATS:
        raise UserError(f"{label} {name}: there are {', '.join(FORMATS)}")


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the two studies.

    ``scans``: empty for the real ones that ``WIRECOST_DATA`` has, and a made-up one of the largest
    sensor. ``growth``: numbers of points that show how the time grows, beside the grid of vertices
    and percentages inside. No further turn of a case begins after ``seconds``, except the first of
    each process.
    """

    studies: tuple[str, ...] = option.setting(
        STUDIES,
        "ring (outlier filter), area (detection area); default: both.",
        "--study",
        known=STUDIES,
    )
    scans: tuple[str, ...] = option.setting(
        (),
        "A real scan, or vlp16, vlp32 or vls128 for a synthetic one; can be repeated.",
        "--scan",
        metavar="FILE.pcd|SENSOR",
    )
    points: tuple[int, ...] = option.setting(
        (100_000,), "Points of the area study.", check=option.within(1, 1_000_000)
    )
    vertices: tuple[int, ...] = option.setting(
        (8, 64, 1000), "Vertices of each of the 8 areas.", check=option.within(3, 100_000)
    )
    inside: tuple[float, ...] = option.setting(
        (10,),
        "Percent of points inside an area.",
        metavar="%,%,…",
        parse=_percents,
        check=_check_percent,
    )
    samples: int = option.samples(100, "Callbacks of each version, in all processes.")
    processes: int = option.processes(5)
    seconds: float = option.setting(
        4.0,
        "Take no more samples of a case after this time.",
        metavar=TIME,
        parse=seconds,
        shown="4s",
        check=option.within(0, 3600),
    )
    format: str = option.setting(
        "aedt", "Points of the rings: aedt (32 B) or radrt (40 B).", check=_check_format
    )
    published: bool = option.setting(False, "Use the ring filter as published, with its faults.")
    seed: int = option.seed("Seed of synthetic scans, points, areas, and the processes' order.")
    growth: tuple[int, ...] = (1000, 10_000)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.samples, self.processes, self.seed)
