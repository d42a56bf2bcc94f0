# SPDX-License-Identifier: Apache-2.0
"""Settings of ``bench cloud``. Imports little: the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.option import (
    Option,
    Processes,
    ScenarioSettings,
    seed_option,
    within,
)
from wirecost.measure.bench.engine.processes import PROCESSES, ProcessPlan, plan
from wirecost.system.errors import UserError

STUDIES = ("ring", "area")
FORMATS = ("aedt", "radrt")


def _percents(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{option} {text}: give percentages, separated by commas") from None


def _check_percent(option: str, percent: float) -> None:
    if not 0 <= percent <= 100:
        raise UserError(f"{option} {percent:g}: must lie between 0 and 100 percent")


def _check_seconds(option: str, seconds: float) -> None:
    if not 0 < seconds <= 3600:
        raise UserError(f"{option} {seconds:g}: must be above 0 and at most 3600")


def _check_format(option: str, name: str) -> None:
    if name not in FORMATS:
        raise UserError(f"{option} {name}: there are {', '.join(FORMATS)}")


@dataclass(frozen=True)
class CloudSettings(ScenarioSettings):
    """Settings of the two studies.

    ``scans``: empty for the real ones that ``WIRECOST_DATA`` has, and a made-up one of the largest
    sensor. ``growth``: numbers of points that show how the time grows, beside the grid of vertices
    and percentages inside. No further turn of a case begins after ``seconds``, except the first of
    each process.
    """

    studies: Annotated[
        tuple[str, ...],
        Option(
            "ring (outlier filter), area (detection area); default: both.", "--study", known=STUDIES
        ),
    ] = STUDIES
    scans: Annotated[
        tuple[str, ...],
        Option(
            "A real scan, or vlp16, vlp32 or vls128 for a synthetic one; can be repeated.",
            "--scan",
            metavar="FILE.pcd|SENSOR",
        ),
    ] = ()
    points: Annotated[
        tuple[int, ...],
        Option("Points of the area study.", metavar="N,N,…", check=within(1, 1_000_000)),
    ] = (100_000,)
    vertices: Annotated[
        tuple[int, ...],
        Option("Vertices of each of the 8 areas.", metavar="N,N,…", check=within(3, 100_000)),
    ] = (8, 64, 1000)
    inside: Annotated[
        tuple[float, ...],
        Option(
            "Percent of points inside an area.",
            metavar="%,%,…",
            parse=_percents,
            check=_check_percent,
        ),
    ] = (1, 10, 50)
    samples: Annotated[
        int,
        Option(
            "Callbacks of each version, in all processes.", metavar="N", check=limits.at_least_one
        ),
    ] = 100
    processes: Processes = PROCESSES
    seconds: Annotated[
        float,
        Option(
            "Take no more samples of a case after this time.", metavar="S", check=_check_seconds
        ),
    ] = 10.0
    format: Annotated[
        str, Option("Points of the rings: aedt (32 B) or radrt (40 B).", check=_check_format)
    ] = "aedt"
    published: Annotated[bool, Option("Use the ring filter as published, with its faults.")] = False
    seed: Annotated[
        int, seed_option("Seed of synthetic scans, points, areas, and the processes' order.")
    ] = 1
    growth: tuple[int, ...] = (1000, 10_000)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.samples, self.processes, self.seed)
