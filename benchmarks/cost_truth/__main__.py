# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.cost_truth PYTHON``: writes docs/results/cost-truth.md in 15 minutes.

PYTHON is one that has rclpy; the nodes of rospy run in this one. Calibrate first: ``wirecost cost
drive.mcap --calibrate``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wirecost.measure.cost.changes import SEGMENT, SHARED
from wirecost.measure.cost.paths import PLAIN
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

from .graph import GraphClient
from .looking import sentence
from .page import write_page
from .truth import ROUNDS, Truths, bytes_truths, joined, osi_truths, robot_truths

UDP = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _truths(python: Path) -> Iterator[Truths]:
    systems: list[Callable[[], Truths]] = [
        partial(robot_truths, client, proved, _say)
        for client, proved in (
            (GraphClient("rclpy", "fastdds", python, {}), [SEGMENT]),
            (GraphClient("rclpy", "fastdds-udp", python, UDP), [SHARED]),
            (GraphClient("rospy", "tcpros", Path(sys.executable), {}), []),
        )
    ]
    systems.append(partial(osi_truths, _say))
    systems += [
        partial(bytes_truths, client, middleware, _say)
        for client, middleware in (
            (PLAIN, "fastdds"), (PLAIN, "cyclonedds"), (PLAIN, "iceoryx2"), (PLAIN, "zenoh"),
            ("roscpp", "tcpros"),
        )
    ]  # fmt: skip
    for measured in systems:
        try:
            yield measured()
        except (UserError, ProgramFailedError) as error:
            _say(str(error))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with scratch.run():
        python = Path(sys.argv[1])
        write_page(joined(_truths(python)), sentence(python, ROUNDS))


if __name__ == "__main__":
    main()
