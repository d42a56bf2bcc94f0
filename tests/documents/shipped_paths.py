# SPDX-License-Identifier: Apache-2.0
"""Makes a calibration's paths those that wirecost brings: ``python -m documents.shipped_paths``.

First calibrate on an idle machine: ``wirecost cost X.mcap --calibrate --over NAME``, for rclpy with
``--lang python --python PATH``, and of ROS 1's bag. Then renew the page: ``documents.prices``.
"""

from __future__ import annotations

from dataclasses import replace

from documents import prices as page
from wirecost.measure.cost.paths import PathTable
from wirecost.measure.cost.prices import PriceList, keep, own_prices, shipped_prices

LIBRARIES = {
    "rclpy fastdds": "rclpy 7.1.6, rmw_fastrtps_cpp 8.4.3, Fast DDS 2.14.5",
    "rclpy fastdds-udp": "rclpy 7.1.6, rmw_fastrtps_cpp 8.4.3, Fast DDS 2.14.5",
    "plain fastdds": "Fast DDS 2.9.1",
    "plain cyclonedds": "Cyclone DDS 0.10.2",
    "plain iceoryx2": "iceoryx2 0.10.0",
    "plain zenoh": "Zenoh 1.10.2",
    "roscpp tcpros": "roscpp 1.15.15",
}
"""Versions by path, as setup/*.txt pin them."""


def main() -> None:
    own, shipped = own_prices(), shipped_prices()
    measured = {
        name: replace(path, about={**own.about, "libraries": LIBRARIES[name]})
        for name, path in own.paths.paths.items()
    }
    paths = PathTable({**shipped.paths.paths, **measured})
    keep(PriceList(shipped.about, shipped.prices, paths), page.PRICES)
    page.PAGE.write_text(page.page(page.kept()))
    print("measured:", ", ".join(measured))


if __name__ == "__main__":
    main()
