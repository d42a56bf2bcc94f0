# SPDX-License-Identifier: Apache-2.0
"""What both senders send: a scan in turns of different size, as PointCloud2 describes it."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from wirecost.measure.bench.codecs.synthetic import POINT, SENSORS, Scan, synthetic
from wirecost.system import scenarios

scenarios.look_in(Path(__file__).parents[2] / "benchmarks")
scenarios.packages()
from wirecost_scenarios.cloud.scans import in_turns, read, real  # noqa: E402 - found from here on

FRAME = "lidar"
SEED = 1
# By NumPy's name of a type, as sensor_msgs/PointField numbers them.
TYPES = {"uint8": 2, "uint16": 4, "uint32": 6, "float32": 7}
FIELDS = [
    (name, offset, TYPES[dtype.name]) for name, (dtype, offset, *_) in (POINT.fields or {}).items()
]
"""Name, offset and type of each field of a point."""
STEP = POINT.itemsize


def options(about: str | None) -> Namespace:
    parser = ArgumentParser(description=about)
    parser.add_argument(
        "--scan",
        help="FILE.pcd, vlp16, vlp32 or vls128; a real scan of WIRECOST_DATA where none is named",
    )
    parser.add_argument("--rate", type=float, default=10.0, help="messages per second")
    return parser.parse_args()


def turns(named: str | None) -> list[bytes]:
    """Return the points of each message, to be sent again and again."""
    return [points.tobytes() for points in in_turns(_scan(named).points, SEED)]


def at_rate(messages: list[bytes], rate: float) -> Iterator[bytes]:
    """Each message when it is due, without end."""
    due = time.monotonic()
    for message in cycle(messages):
        time.sleep(max(0.0, due - time.monotonic()))
        yield message
        due += 1 / rate


def _scan(named: str | None) -> Scan:
    if named is None:
        found, _ = real()
        return found[-1] if found else synthetic("vls128", SEED)
    return synthetic(named, SEED) if named in SENSORS else read(Path(named))
