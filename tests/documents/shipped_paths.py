# SPDX-License-Identifier: Apache-2.0
"""Ships calibrations' paths: ``python -m documents.shipped_paths IDLE BUSY``.

Both are folders of WIRECOST_STATE in which ``wirecost cost X.mcap --calibrate --over NAME`` has
run, for rclpy with ``--lang python --python PATH``, for roscpp with a bag of ROS 1, for rospy with
``--lang python``, too: once on an idle machine, and once on one that does something else.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace

from documents import prices as page
from wirecost.measure.cost.path_calibration import FASTER, SEVERAL, SIZES, SIZES_OF_SEVERAL
from wirecost.measure.cost.path_fit import PathObservation, fitted_path
from wirecost.measure.cost.paths import PathPrice, PathTable
from wirecost.measure.cost.prices import PriceList, keep, own_prices, shipped_prices
from wirecost.measure.cost.ros_python.codec import LIBRARIES as LIBRARIES_OF_NODES

LIBRARIES = {
    "rclpy fastdds": "rclpy 7.1.6, rmw_fastrtps_cpp 8.4.3, Fast DDS 2.14.5",
    "rclpy fastdds-udp": "rclpy 7.1.6, rmw_fastrtps_cpp 8.4.3, Fast DDS 2.14.5",
    "plain fastdds": "Fast DDS 2.9.1",
    "plain cyclonedds": "Cyclone DDS 0.10.2",
    "plain iceoryx2": "iceoryx2 0.10.0",
    "plain zenoh": "Zenoh 1.10.2",
    "roscpp tcpros": "roscpp 1.15.15",
    "rospy tcpros": "rospy 1.15.15",
}
"""Versions by path, as setup/*.txt pin them."""
CODECS = {f"python {library} {wire}" for wire, library in LIBRARIES_OF_NODES.items()}
"""Codecs that are shipped, too: those of Python's nodes."""
HOW = "twice, at different loads of the machine"


def between(idle: PathPrice, busy: PathPrice) -> PathPrice:
    """Return the prices between those of two states, whose spread covers both."""
    alone = [(1, size, None) for size in SIZES] + [(1, size, hz) for size, hz in FASTER]
    several = [(SEVERAL, size, None) for size in SIZES_OF_SEVERAL]
    seen = [
        PathObservation(size, count, one.send_ns(size, count, hz), one.receive_ns(size, hz), hz)
        for one in (idle, busy)
        for count, size, hz in (*alone, *several)
    ]
    middle = fitted_path(idle.client, idle.middleware, seen, {})
    stages = ("publish", "take")
    # That of the busy state has what others disturb, which the difference of the states has, too.
    spread = {stage: middle.spread[stage] + idle.spread[stage] for stage in stages}
    return replace(
        middle,
        publish=rounded(middle.publish),
        take=rounded(middle.take),
        spread=rounded(spread),
        measured={
            stage: [(size, float(f"{ns:.4g}")) for size, ns in points]
            for stage, points in middle.measured.items()
        },
    )


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    """Return values of four digits: more say nothing."""
    return {name: float(f"{value:.4g}") for name, value in values.items()}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    states = []
    for folder in sys.argv[1:]:
        os.environ["WIRECOST_STATE"] = folder
        states.append(own_prices())
    idle, busy = states
    about = {name: text for name, text in idle.about.items() if name != "others"}
    measured = {
        name: replace(
            between(path, busy.paths.paths[name]),
            about={**about, "libraries": LIBRARIES[name], "how": HOW},
        )
        for name, path in idle.paths.paths.items()
    }
    shipped = shipped_prices()
    paths = PathTable({**shipped.paths.paths, **measured})
    codecs = {name: replace(idle.prices[name], about=about) for name in CODECS & idle.prices.keys()}
    keep(PriceList(shipped.about, {**shipped.prices, **codecs}, paths), page.PRICES)
    page.PAGE.write_text(page.page(page.kept()))
    print(json.dumps({name: path.spread for name, path in measured.items()}, indent=1))


if __name__ == "__main__":
    main()
