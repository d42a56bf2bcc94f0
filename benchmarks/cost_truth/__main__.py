# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.cost_truth PYTHON``: writes docs/results/cost-truth.md in nine minutes.

PYTHON is one that has rclpy; calibrate first: ``wirecost cost drive.mcap --calibrate``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from wirecost.measure.cost.paths import PLAIN
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

from .page import write_page
from .truth import Truths, bytes_truths, joined, robot_truths

UDP = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _truths(python: Path) -> Iterator[Truths]:
    for over, environment in (("fastdds", {}), ("fastdds-udp", UDP)):
        yield robot_truths(python, over, environment, _say)
    for client, middleware in (
        (PLAIN, "fastdds"), (PLAIN, "cyclonedds"), (PLAIN, "iceoryx2"), (PLAIN, "zenoh"),
        ("roscpp", "tcpros"),
    ):  # fmt: skip
        try:
            yield bytes_truths(client, middleware, _say)
        except (UserError, ProgramFailedError) as error:
            _say(str(error))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with scratch.run():
        write_page(joined(_truths(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
