# SPDX-License-Identifier: Apache-2.0
"""What a look costs a graph: ``python -m acceptance.live_load PYTHON [ROUNDS [NODE]]``.

Ten nodes of rclpy run, or another program, such as ``nodes/rclpy/fast.py``. In turn it is alone,
and with each kind of ``wirecost cost --live ros2``. Printed is the graph's own processor time.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wirecost.observe.usage import clocks
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

NODES = Path(__file__).parents[1] / "nodes/rclpy/talkers.py"
SECONDS, SETTLED_S = 8.0, 3.0
LOOKS: dict[str, Sequence[str] | None] = {
    "alone": None,
    "--no-subscribe": ["--no-subscribe"],
    "--attach": ["--attach"],
    "one subscription a topic": [],
}


def share_of(graph: int, python: str, options: Sequence[str] | None) -> float:
    """Return the share of a core that the graph takes while it is looked at, or alone."""
    look = None
    if options is not None:
        command = [sys.executable, "-m", "wirecost", "cost", "--live", "ros2", "--python", python]
        command += ["--for", f"{SECONDS + 3 * SETTLED_S}s", *options]
        look = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(SETTLED_S)
    before_ns, begin_s = clocks.scheduled(graph), time.monotonic()
    time.sleep(SECONDS)
    after_ns, seconds = clocks.scheduled(graph), time.monotonic() - begin_s
    if look is not None:
        look.terminate()
        look.wait()
        time.sleep(SETTLED_S)
    assert before_ns is not None and after_ns is not None
    return (after_ns - before_ns) / 1e9 / seconds


def main(arguments: Sequence[str]) -> None:
    python, rounds = arguments[0], int(arguments[1]) if len(arguments) > 1 else 5
    node = Path(arguments[2]) if len(arguments) > 2 else NODES
    graph = subprocess.Popen([python, node], stdout=subprocess.DEVNULL)
    try:
        time.sleep(3 * SETTLED_S)  # libraries are imported first
        found: dict[str, list[float]] = {name: [] for name in LOOKS}
        for _ in range(rounds):
            for name, options in LOOKS.items():
                found[name].append(share_of(graph.pid, python, options))
    finally:
        graph.kill()
        graph.wait()
    alone = np.array(found["alone"])
    rows = [
        [
            name,
            f"{100 * np.median(shares):.1f} %",
            f"{100 * np.median(np.array(shares) - alone):+.1f}",
            f"{100 * np.min(np.array(shares) - alone):+.1f} to "
            f"{100 * np.max(np.array(shares) - alone):+.1f}",
        ]
        for name, shares in found.items()
    ]
    title = f"{node.name}, {rounds} rounds of {SECONDS:g} s: the graph's share of a core"
    heads = ["beside it", "median", "more, percentage points", "lowest to highest"]
    print_table(Console(), Table(title, heads, rows, []))


if __name__ == "__main__":
    main(sys.argv[1:])
