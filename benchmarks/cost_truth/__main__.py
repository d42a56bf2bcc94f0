# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.cost_truth PYTHON``: writes docs/results/cost-truth.md in half an hour.

PYTHON is one that has rclpy; the nodes of rospy run in this one. Codecs are measured right before
they are compared unless they are known; a path is measured in turns with what it is compared with.
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

from .calibrating import ROSPY, PathRounds, calibrate_codecs
from .graph import GraphClient
from .looking import sentence
from .page import write_page
from .truth import Truths, bytes_truths, joined, osi_truths, robot_truths
from .typed import typed_truths

LOOKS = 3
"""Rounds of the graph that is looked at."""
UDP = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _truths(python: Path) -> Iterator[Truths]:
    def graph(client: str, middleware: str, proved: list[str], variables: dict[str, str]) -> Truths:
        own = None if client == ROSPY else python
        here = GraphClient(client, middleware, own or Path(sys.executable), variables)
        calibrate_codecs("python", here.wire, own, _say)
        with PathRounds(client, middleware, own, _say) as prices:
            return robot_truths(here, prices, proved, _say)

    def osi() -> Truths:
        calibrate_codecs("cpp", "protobuf", None, _say)
        return osi_truths(_say)

    def octets(client: str, middleware: str) -> Truths:
        with PathRounds(client, middleware, None, _say) as prices:
            return bytes_truths(client, middleware, prices, _say)

    def typed() -> Truths:
        calibrate_codecs("cpp", "cdr", None, _say)
        with PathRounds(PLAIN, "fastdds", None, _say) as prices:
            return typed_truths(prices, _say)

    systems: list[Callable[[], Truths]] = [
        partial(graph, "rclpy", "fastdds", [SEGMENT], {}),
        partial(graph, "rclpy", "fastdds-udp", [SHARED], UDP),
        partial(graph, ROSPY, "tcpros", [], {}),
        osi,
        partial(octets, PLAIN, "fastdds"),
        typed,
        partial(octets, PLAIN, "cyclonedds"),
        partial(octets, PLAIN, "iceoryx2"),
        partial(octets, PLAIN, "zenoh"),
        partial(octets, "roscpp", "tcpros"),
    ]
    for measured in systems:
        try:
            yield measured()
        except (UserError, ProgramFailedError) as error:
            _say(str(error))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with scratch.run():
        python = Path(sys.argv[1]).absolute()
        write_page(joined(_truths(python)), sentence(python, LOOKS))


if __name__ == "__main__":
    main()
