# SPDX-License-Identifier: Apache-2.0
"""Rows of the page: what ``cost`` says of a process or a remedy, and what the kernel counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from wirecost.measure.cost.path_calibration import paths_of
from wirecost.measure.cost.paths import DEFAULTS, MIDDLEWARES
from wirecost.measure.cost.prices import known_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost
from wirecost.measure.standins.description import StandIn
from wirecost.measure.standins.processes import StandInProcesses
from wirecost.results.analysis.distributions import student_distance
from wirecost.results.records.cost import SystemCost

from .graph import RunningGraph, Shares, running
from .robot import NODES, STORE, TOPICS, packed, robot_survey

OFF, ON, HALF, PACKED = "off", "on", "half", "packed"
"""Modes of a publisher, see ``node.py``."""
SECONDS, ROUNDS = 5.0, 5
"""Seconds of a phase, and how often each comes."""
TURN_S = 1.0
"""Seconds of a turn of messages of bytes."""
REMEDIES = {"half rate": HALF, "packed": PACKED}
"""Modes of a publisher that are remedies, by their kind."""
SIZES_HZ = {1_000: 100.0, 60_000: 50.0, 900_000: 20.0, 2_000_000: 10.0}
"""Rates of the messages of bytes, by their size."""
BYTES = "std_msgs/msg/UInt8MultiArray"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Truth:
    """Shares of a core, or of what a remedy saves.

    ``noise``: half of the 95 % interval of what was measured.
    """

    system: str
    what: str
    promised: float
    kernel: float
    noise: float = 0.0

    @property
    def error(self) -> float:
        """Relative error of the promise."""
        return self.promised / self.kernel - 1 if self.kernel > 0 else float("inf")


@dataclass(frozen=True)
class Truths:
    shares: Sequence[Truth]
    gains: Sequence[Truth]


def robot_truths(python: Path, over: str, environment: Mapping[str, str], say: Say) -> Truths:
    """Return what the graph of rclpy says; ``over``: the middleware as ``cost`` names it."""
    messages = {topic.name: topic.messages() for topic in TOPICS}
    survey = robot_survey(messages)
    pricing = Pricing(known_prices(), "python", over)
    cost = system_cost(["robot"], survey, pricing, {})
    remedies = [one for one in cost.remedies if one.kind in REMEDIES and one.share > 0]
    chosen = sorted(remedies, key=lambda one: -one.share)[:4]
    system = f"rclpy over {over}"
    plain: list[Shares] = []
    changed: dict[int, list[Shares]] = {place: [] for place in range(len(chosen))}
    with running(python, environment, messages, packed(survey)) as graph:
        graph.set("*", OFF)
        silent = graph.shares(SECONDS)
        graph.set("*", ON)
        graph.shares(1.0)
        for number in range(ROUNDS):
            say(f"{system}: round {number + 1} of {ROUNDS}")
            plain.append(graph.shares(SECONDS))
            for place, remedy in enumerate(chosen):
                changed[place].append(_with(graph, remedy.topic, REMEDIES[remedy.kind]))
    shares = [
        Truth(
            system, node, _promised(cost, node),
            *_mean([one[node] - silent[node] for one in plain]),
        )
        for node in NODES
    ]  # fmt: skip
    gains = []
    for place, remedy in enumerate(chosen):
        topic = next(one for one in TOPICS if one.name == remedy.topic)
        for nodes, promised in (
            ((topic.publisher,), remedy.publish_share),
            (topic.takers, remedy.take_share),
        ):
            saved = [
                sum(before[node] - after[node] for node in nodes)
                for before, after in zip(plain, changed[place], strict=True)
            ]
            what = f"{remedy.topic}: {remedy.what}: {' and '.join(nodes)}"
            gains.append(Truth(system, what, promised, *_mean(saved)))
    return Truths(shares, gains)


def _with(graph: RunningGraph, topic: str, mode: str) -> Shares:
    graph.set(topic, mode)
    shares = graph.shares(SECONDS)
    graph.set(topic, ON)
    return shares


def _promised(cost: SystemCost, node: str) -> float:
    """Return what a node's process pays by the prices."""
    return sum(
        (topic.publish_share or 0.0) * (node in (topic.publishers or ()))
        + (topic.take_share or 0.0) * (topic.takers or []).count(node) / max(1, topic.subscribers)
        for topic in cost.topics
    )


def bytes_truths(client: str, middleware: str, say: Say) -> Truths:
    """Return what publishers and subscribers of bytes of several sizes say, in C++.

    Raises UserError, ProgramFailedError.
    """
    price = known_prices().paths.of(client, middleware)
    if price is None:
        return Truths([], [])
    library = next(iter(paths_of(client, middleware))).library(None)
    wire = "ros1" if middleware == DEFAULTS["ros1"] else "cdr"
    system = f"{client} over {MIDDLEWARES[middleware]}, C++"
    shares = []
    with StandInProcesses(library, 1) as processes:
        for size, hz in SIZES_HZ.items():
            say(f"{system}: {size:,} bytes")
            processes.open(StandIn(library, BYTES, [_bytes(size, wire)], hz, 1))
            turns = [processes.turn(TURN_S) for _ in range(ROUNDS)]
            what = f"{size:,} bytes at {hz:g} Hz"
            for end, ns, measured in (
                ("publisher", price.send_ns(size, 1), [one.publisher_share for one in turns]),
                ("subscriber", price.receive_ns(size), [one.subscriber_share for one in turns]),
            ):
                shares.append(Truth(system, f"{end}, {what}", ns * hz / 1e9, *_mean(measured)))
    return Truths(shares, [])


def _bytes(size: int, wire: str) -> bytes:
    about = STORE.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    message = STORE.types[BYTES](layout=about, data=np.zeros(size, np.uint8))
    write = STORE.serialize_ros1 if wire == "ros1" else STORE.serialize_cdr
    return bytes(write(message, BYTES))


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half of its 95 % interval."""
    width = student_distance(len(values) - 1, 0.025) * stdev(values) / sqrt(len(values))
    return fmean(values), width


def joined(parts: Iterator[Truths]) -> Truths:
    shares: list[Truth] = []
    gains: list[Truth] = []
    for part in parts:
        shares += part.shares
        gains += part.gains
    return Truths(shares, gains)
