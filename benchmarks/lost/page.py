# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/lost.md``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.cost.prices import machine_name
from wirecost.results.report.shared import units

from .faults import FAST_HZ, REFUSED, Fault
from .recorder import RecorderRow
from .ros1 import Pair
from .runs import Watched

PAGE = Path(__file__).parents[2] / "docs" / "results" / "lost.md"


@dataclass(frozen=True)
class Row:
    """A fault in one ROS 2: messages lost by the listener's numbers, counted, and where."""

    fault: Fault
    ros: str
    lost: int
    counted: int
    places: Sequence[str]
    is_exact: bool

    @property
    def is_right(self) -> bool:
        return self.is_exact and list(self.places) == [self.fault.place]


@dataclass(frozen=True)
class Healthy:
    """Graphs that lose nothing: messages published, lost in truth, and said to be lost."""

    seconds: float
    messages: int
    lost: int
    said: int


@dataclass(frozen=True)
class Row1:
    """A pair of ROS 1, and if what was said of it is what its listener took."""

    pair: Pair
    is_right: bool


def row_of(fault: Fault, ros: str, run: Watched) -> Row:
    """Compare what the command said of a fault with what its listener took."""
    said = run.of(fault.mode)
    if fault.place == REFUSED:
        taken = len(run.taken[fault.mode])
        places = [REFUSED] if said["refusals"] and not taken else []
        return Row(fault, ros, 0, 0, places, is_exact=True)
    places = sorted(said["places"], key=lambda place: -said["places"][place])
    counted, lost = sum(said["places"].values()), run.missing(fault.mode)
    is_exact = run.is_exact(fault.mode, fault.place)
    return Row(fault, ros, lost, counted, places, is_exact=is_exact)


def healthy_of(run: Watched, modes: Sequence[str], seconds: float) -> Healthy:
    """Return what was said of modes in which nothing is to be lost."""
    said = [run.of(mode) for mode in modes]
    return Healthy(
        seconds,
        sum(each["published"] for each in said),
        sum(run.missing(mode) for mode in modes),
        sum(sum(each["places"].values()) for each in said),
    )


def text(
    rows: Sequence[Row],
    healthy: Healthy,
    share: float,
    ros1: Sequence[Row1],
    recorded: RecorderRow,
) -> str:
    """Return the page; ``share``: of a core that the command takes beside a fast publisher."""
    right = sum(row.is_right for row in rows)
    lines = [
        "# What `lost --live` finds",
        "",
        "    sudo python -m benchmarks.lost PYTHON-WITH-RCLPY…    # in a checkout",
        "",
        f"**`--live ros2 --attach` counts and places {right} of {len(rows)} losses as they were "
        f"made. In {healthy.seconds / 60:g} minutes of {healthy.messages:,} messages it calls "
        f"{healthy.said} lost; {healthy.lost} were.** At {FAST_HZ:,} messages per second it takes "
        f"{units.percent(share)} of a core.",
        "",
        "```",
        *_table(rows),
        "```",
        "",
        _of_ros1(ros1),
        f"`lost FILE` counts {recorded.said:,} of {recorded.lacking:,} messages that fell out of a "
        "recorder's cache.",
        "",
        f"Machine: {machine_name()}; rclpy over Fast DDS. The listeners' numbers say what is lost.",
    ]
    return "\n".join(lines) + "\n"


def _of_ros1(rows: Sequence[Row1]) -> str:
    """Return what was said of ROS 1, where some pairs lose nothing."""
    losing = [row for row in rows if row.pair.place]
    healthy = [row for row in rows if not row.pair.place]
    right = sum(row.is_right for row in losing)
    accused = sum(not row.is_right for row in healthy)
    return (
        f"`--live ros1` places {right} of {len(losing)} losses in queues, and accuses {accused} of "
        f"{len(healthy)} healthy pairs."
    )


def _table(rows: Sequence[Row]) -> list[str]:
    """Return a line for each fault, with the messages that each ROS 2 lost."""
    names = list(dict.fromkeys(row.ros for row in rows))
    by_fault: dict[Fault, dict[str, str]] = {}
    for row in rows:
        by_fault.setdefault(row.fault, {})[row.ros] = _cell(row)
    lines = [("made to lose", "place", *names)]
    lines += [
        (fault.made, fault.place, *(cells.get(name, "") for name in names))
        for fault, cells in by_fault.items()
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _cell(row: Row) -> str:
    """Return how many were lost, and what is wrong about what was said."""
    lost = "all" if row.fault.place == REFUSED else f"{row.lost:,}"
    said = ", ".join(row.places) or "nothing"
    return lost if row.is_right else f"{lost}, wrong: {row.counted:,} {said}"
