# SPDX-License-Identifier: Apache-2.0
"""What a look costs: ``python -m benchmarks.cost_truth.looking PYTHON [ROUNDS [NODE]]``.

A node of rclpy publishes 5,000 messages a second (``fast.py``), or another program runs. In turn it
is alone, and beside each kind of ``wirecost cost --live ros2``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wirecost.observe.usage import clocks
from wirecost.observe.usage.meter import Meter
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

from .truth import mean_with_noise

FAST, RATE_HZ = Path(__file__).with_name("fast.py"), 5000
SECONDS, SETTLED_S, STARTED_S = 8.0, 6.0, 9.0
"""Seconds that are measured, until a look has imported what it needs, and until the node has."""
ALONE, ATTACHED = "alone", "--attach"
LOOKS: Mapping[str, Sequence[str] | None] = {
    ALONE: None,
    ATTACHED: ["--attach"],
    "--no-subscribe": ["--no-subscribe"],
    "one subscription a topic": [],
}


@dataclass(frozen=True)
class Load:
    """Shares of a core of the graph and of the look itself, and its instructions a second.

    The last is None where this machine does not count them.
    """

    graph: float
    look: float = 0.0
    instructions: float | None = None


@contextmanager
def running(python: Path, node: Path) -> Iterator[int]:
    """Run a node, and yield its number once it publishes."""
    graph = subprocess.Popen([python, node], stdout=subprocess.DEVNULL)
    try:
        time.sleep(STARTED_S)
        yield graph.pid
    finally:
        graph.kill()
        graph.wait()


def load(graph: int, python: Path, options: Sequence[str] | None) -> Load:
    """Return what a graph and a look at it take, or the graph alone."""
    if options is None:
        return Load(_share(graph))
    words = [
        "cost",
        "--live",
        "ros2",
        "--python",
        str(python),
        "--for",
        f"{2 * SECONDS + SETTLED_S}s",
    ]
    look = subprocess.Popen(
        [sys.executable, "-m", "wirecost", *words, *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        time.sleep(SETTLED_S)
        counting = _counting(look.pid)
        with Meter([look.pid], use_group=False) as meter:
            begin_s, of_graph = time.monotonic(), _share(graph)
            own = meter.read().cpu_ns / 1e9 / (time.monotonic() - begin_s)
        return Load(of_graph, own, _counted(counting))
    finally:
        look.terminate()
        look.wait()


def _share(graph: int) -> float:
    """Return the share of a core that a process takes from now on."""
    before_ns, begin_s = clocks.scheduled(graph), time.monotonic()
    time.sleep(SECONDS)
    after_ns, seconds = clocks.scheduled(graph), time.monotonic() - begin_s
    assert before_ns is not None and after_ns is not None, "the graph has ended"
    return (after_ns - before_ns) / 1e9 / seconds


def _counting(look: int) -> subprocess.Popen[str] | None:
    """Begin to count instructions, where ``perf`` is."""
    with suppress(OSError):
        words = ["-x", ";", "-e", "instructions", "-p", str(look), "sleep", str(SECONDS)]
        return subprocess.Popen(["perf", "stat", *words], stderr=subprocess.PIPE, text=True)
    return None


def _counted(counting: subprocess.Popen[str] | None) -> float | None:
    if counting is None:
        return None
    said = re.search(r"^(\d+);", counting.communicate()[1], re.MULTILINE)
    return int(said[1]) / SECONDS if said else None


def loads(
    python: Path, names: Sequence[str], rounds: int, node: Path = FAST
) -> dict[str, list[Load]]:
    """Return what each kind of look takes in every round."""
    seen: dict[str, list[Load]] = {name: [] for name in names}
    with running(python, node) as graph:
        for _ in range(rounds):
            for name in names:
                seen[name].append(load(graph, python, LOOKS[name]))
    return seen


def sentence(python: Path, rounds: int) -> str:
    """Return in a sentence what ``--attach`` costs."""
    seen = loads(python, (ALONE, ATTACHED), rounds)
    more = [one.graph - alone.graph for alone, one in zip(seen[ALONE], seen[ATTACHED], strict=True)]
    own, own_noise = mean_with_noise([one.look for one in seen[ATTACHED]])
    graph, graph_noise = mean_with_noise(more)
    text = (
        f"Beside {RATE_HZ:,} messages per second `--attach` itself takes {100 * own:.2g} ± "
        f"{100 * own_noise:.1g} % of a core, and its breakpoints {100 * graph:.2g} ± "
        f"{100 * graph_noise:.1g} % in the publisher"
    )
    counted = [one.instructions for one in seen[ATTACHED] if one.instructions is not None]
    return (
        f"{text}: {median(counted) / RATE_HZ:,.0f} instructions per message."
        if counted
        else f"{text}."
    )


def main(arguments: Sequence[str]) -> None:
    if not arguments:
        sys.exit(__doc__)
    rounds = int(arguments[1]) if len(arguments) > 1 else 5
    node = Path(arguments[2]) if len(arguments) > 2 else FAST
    seen = loads(Path(arguments[0]), list(LOOKS), rounds, node)
    rows = [
        [
            name,
            _percent([one.look for one in some]),
            _percent([one.graph for one in some]),
            _percent(
                [one.graph - alone.graph for one, alone in zip(some, seen[ALONE], strict=True)]
            ),
        ]
        for name, some in seen.items()
    ]
    title = f"{node.name}, {rounds} rounds of {SECONDS:g} s: shares of a core, with 95 % intervals"
    print_table(Console(), Table(title, ["look", "itself", "graph", "more in the graph"], rows, []))


def _percent(shares: Sequence[float]) -> str:
    value, noise = mean_with_noise(shares)
    return f"{100 * value:.2f} ± {100 * noise:.2f} %"


if __name__ == "__main__":
    main(sys.argv[1:])
