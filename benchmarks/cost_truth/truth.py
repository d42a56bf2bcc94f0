# SPDX-License-Identifier: Apache-2.0
"""Rows of the page: what ``cost`` says of a process or a remedy, and what the kernel counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from wirecost.data.recordings.connection import RecordedConnection
from wirecost.data.recordings.survey import RecordingSurvey, SubjectCache, TopicSurvey
from wirecost.measure.cost.prices import known_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.proving import library_for, stand_in
from wirecost.measure.cost.system_cost import system_cost
from wirecost.measure.standins.processes import StandInProcesses
from wirecost.results.records.cost import SystemCost

from .graph import RunningGraph, Shares, running
from .robot import NODES, STORE, TOPICS, packed, robot_survey

OFF, ON, HALF, PACKED = "off", "on", "half", "packed"
"""Modes of a publisher, see ``node.py``."""
SECONDS, ROUNDS = 5.0, 4
"""Seconds of a phase, and how often each comes."""
REMEDIES = {"half rate": HALF, "packed": PACKED}
"""Modes of a publisher that are remedies, by their kind."""
SIZES_HZ = {1_000: 100.0, 60_000: 50.0, 900_000: 20.0, 2_000_000: 10.0}
"""Rates of the messages of bytes, by their size."""
BYTES = "std_msgs/msg/UInt8MultiArray"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Truth:
    """Shares of a core, or of what a remedy saves.

    ``noise``: half the distance of the quartiles of what was measured.
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
            *_spread([one[node] - silent[node] for one in plain]),
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
            gains.append(Truth(system, what, promised, *_spread(saved)))
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


def bytes_truths(lang: str, wire: str, over: str, python: Path | None, say: Say) -> Truths:
    """Return what publishers and subscribers of bytes of several sizes say, in C++ or rclpy."""
    pricing, shares = Pricing(known_prices(), lang, over), []
    survey = _bytes_survey(wire)
    cost = system_cost(["bytes"], survey, pricing, {})
    surveys = {one.connection.topic: one for one in survey.topics}
    library, client, _ = library_for(cost.topics[0], lang, pricing, python)
    with StandInProcesses(library, 1) as processes:
        for topic in cost.topics:
            say(f"{client}: {topic.topic}")
            processes.open(stand_in(topic, surveys[topic.topic], library))
            turns = [processes.turn(SECONDS / 2) for _ in range(ROUNDS)]
            what = f"{topic.median_bytes:,} bytes at {topic.rate_hz:g} Hz"
            for end, promised, measured in (
                ("publisher", topic.publish_share, [one.publisher_share for one in turns]),
                ("subscriber", topic.take_share, [one.subscriber_share for one in turns]),
            ):
                if promised is not None:
                    row = Truth(client, f"{end}, {what}", promised, *_spread(measured))
                    shares.append(row)
    return Truths(shares, [])


def _bytes_survey(wire: str) -> RecordingSurvey:
    subjects, topics = SubjectCache([]), []
    definition, _ = STORE.generate_msgdef(BYTES, ros_version=2)
    about = STORE.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    for number, (size, hz) in enumerate(SIZES_HZ.items()):
        message = STORE.types[BYTES](layout=about, data=np.zeros(size, np.uint8))
        write = STORE.serialize_ros1 if wire == "ros1" else STORE.serialize_cdr
        data = bytes(write(message, BYTES))
        encoding = "ros1msg" if wire == "ros1" else "ros2msg"
        name = BYTES.replace("/msg/", "/") if wire == "ros1" else BYTES
        connection = RecordedConnection(
            number, f"/bytes_{size}", name, wire, encoding, definition.encode(), 0
        )
        survey = TopicSurvey(connection)
        survey.watched_s = 4.0
        for tick in range(int(4 * hz)):
            survey.note(int(1e9 * tick / hz), len(data))
        survey.sample[0] = data
        subjects.describe(Path("bytes"), survey)
        topics.append(survey)
    return RecordingSurvey(topics, 4.0)


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the greatest distance from it of half of the values."""
    middle = median(values)
    return middle, median(abs(value - middle) for value in values)


def joined(parts: Iterator[Truths]) -> Truths:
    shares: list[Truth] = []
    gains: list[Truth] = []
    for part in parts:
        shares += part.shares
        gains += part.gains
    return Truths(shares, gains)
