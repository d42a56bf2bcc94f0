# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.lost PYTHON…``: writes docs/results/lost.md, in ten minutes as root.

Each PYTHON has rclpy. ``--healthy 300s``: for how long graphs run in which nothing is lost.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wirecost.system import scratch
from wirecost.system.durations import nanoseconds

from . import recorder, ros1
from .faults import FAST, FAULTS, HEALTHY, NEAR
from .page import PAGE, Healthy, Row, Row1, healthy_of, row_of, text
from .runs import run

FAST_S = 20


def rows(pythons: list[Path]) -> Iterator[Row]:
    """Yield what was said of each fault; those of one network run together."""
    for python in pythons:
        for network in dict.fromkeys(fault.network for fault in FAULTS):
            faults = [fault for fault in FAULTS if fault.network == network]
            print(python, network, file=sys.stderr, flush=True)
            seen = run(python, [fault.mode for fault in faults], network)
            for fault in faults:
                yield row_of(fault, python.parents[1].name, seen)


def healthy(python: Path, seconds: float) -> Healthy:
    """Return what was said of graphs in which nothing is lost."""
    quiet = run(python, [f"{mode}={seconds}" for mode in HEALTHY], NEAR)
    return healthy_of(quiet, HEALTHY, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="+", type=Path)
    parser.add_argument("--healthy", default="300s", metavar="TIME")
    parser.add_argument("--only-healthy", action="store_true", help="print that, and write no page")
    given = parser.parse_args()
    seconds = nanoseconds("--healthy", given.healthy, "s") / 1e9
    with scratch.run():
        if given.only_healthy:
            print(healthy(given.pythons[0], seconds))
            return
        seen = sorted(rows(given.pythons), key=lambda row: FAULTS.index(row.fault))
        with tempfile.TemporaryDirectory() as folder:
            seen1 = ros1.run(ros1.PAIRS, Path(folder))
            steady = ros1.run(ros1.STEADY, Path(folder), ros1.STEADY_S)
            recorded = recorder.run(Path(folder))
        rows1 = [Row1(pair, seen1.is_right(pair)) for pair in ros1.PAIRS]
        rows1 += [Row1(pair, steady.is_right(pair)) for pair in ros1.STEADY]
        fast = run(given.pythons[0], [f"{FAST}={FAST_S}"], NEAR)
        quiet = healthy(given.pythons[0], seconds)
    page = text(seen, quiet, fast.share, rows1, recorded)
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
