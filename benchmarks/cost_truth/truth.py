# SPDX-License-Identifier: Apache-2.0
"""Rows of the page: what ``cost`` says of a process or a remedy, and what the kernel counts."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from wirecost.data.recordings.survey import RecordingSurvey, survey
from wirecost.data.traces import create_trace
from wirecost.measure.cost import changes
from wirecost.measure.cost.codec_proof import codec_turns
from wirecost.measure.cost.paths import MIDDLEWARES
from wirecost.measure.cost.prices import known_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.proving import proof
from wirecost.measure.cost.system_cost import system_cost
from wirecost.measure.standins.account import Account
from wirecost.measure.standins.description import StandIn
from wirecost.measure.standins.processes import StandInProcesses
from wirecost.results.analysis.distributions import student_distance
from wirecost.results.records.cost import Remedy, SystemCost
from wirecost.system import scratch

from .calibrating import PathRounds, Say
from .graph import GraphClient, RunningGraph, Shares, running
from .robot import STORE, nodes_of, packed, robot_survey, topics_of

OFF, ON, HALF, PACKED = "off", "on", "half", "packed"
"""Modes of a publisher, see ``node.py``."""
SECONDS, ROUNDS = 5.0, 5
"""Seconds of a phase, and how often each comes."""
CALIBRATED = 3
"""Rounds after which the path is measured again."""
TURN_S = 1.0
"""Seconds of a turn of messages of bytes."""
REMEDIES = {changes.HALF: HALF, changes.PACKED: PACKED}
"""Modes of a publisher that are remedies, by their kind."""
MOST = {changes.HALF: 3, changes.PACKED: 1}
"""Pieces of advice that a graph applies, by their kind: those of most gain."""
TO_A_THIRD = 2 / 3
"""Share of the latency that a larger segment saves, as ``cost`` says."""
SIZES_HZ = {1_000: 100.0, 60_000: 50.0, 900_000: 20.0, 2_000_000: 10.0}
"""Rates of the messages of bytes, by their size."""
VIEWS, RATE_HZ, REFLECTIONS = 20, 10, 10_000
"""Sensor views, how many a second, and reflections of each."""
PERIOD_NS = 10**9 // RATE_HZ
BYTES = "std_msgs/msg/UInt8MultiArray"


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


def robot_truths(
    client: GraphClient, prices: PathRounds, proved: Sequence[str], say: Say
) -> Truths:
    """Return what the graph says, and ``--prove`` of the kinds of remedies that it cannot apply."""
    topics = topics_of(client.wire)
    nodes = nodes_of(topics)
    messages = {topic.name: topic.messages(client.wire) for topic in topics}
    read = robot_survey(messages, client.wire)
    system = f"{client.name} over {MIDDLEWARES[client.middleware]}"
    prices.measured()
    pricing = Pricing(known_prices(), "python", client.middleware)
    cost = system_cost(["robot"], read, pricing, {})
    chosen = _chosen(cost)
    plain: list[Shares] = []
    changed: dict[int, list[Shares]] = {place: [] for place in range(len(chosen))}
    with running(client, messages, packed(read)) as graph:
        graph.set("*", OFF)
        silent = graph.shares(SECONDS)
        for number in range(ROUNDS):
            if number and number % CALIBRATED == 0:
                graph.set("*", OFF)
                prices.measured()
            say(f"{system}: round {number + 1} of {ROUNDS}")
            graph.set("*", ON)
            graph.shares(1.0)
            plain.append(graph.shares(SECONDS))
            for place, remedy in enumerate(chosen):
                changed[place].append(_with(graph, remedy.topic, REMEDIES[remedy.kind]))
    pricing = Pricing(known_prices(), "python", client.middleware)
    cost = system_cost(["robot"], read, pricing, {})
    shares = [
        Truth(
            system, node, promised_of(cost, node),
            *mean_with_noise([one[node] - silent[node] for one in plain]),
        )
        for node in nodes
    ]  # fmt: skip
    gains = []
    for place, remedy in enumerate(chosen):
        topic = next(one for one in topics if one.name == remedy.topic)
        said = next(
            one for one in cost.remedies if (one.kind, one.topic) == (remedy.kind, remedy.topic)
        )
        for ends, promised in (
            ((topic.publisher,), said.publish_share),
            (topic.takers, said.take_share),
        ):
            saved = [
                sum(before[node] - after[node] for node in ends)
                for before, after in zip(plain, changed[place], strict=True)
            ]
            what = f"{remedy.topic}: {remedy.what}: {' and '.join(ends)}"
            gains.append(Truth(system, what, promised, *mean_with_noise(saved)))
    gains += proof_truths(system, cost, read, pricing, proved, client.python, say)
    return Truths(shares, gains)


def _chosen(cost: SystemCost) -> list[Remedy]:
    """Return the advice that a graph applies."""
    chosen: list[Remedy] = []
    for kind, most in MOST.items():
        kinds = [one for one in cost.remedies if one.kind == kind and one.is_worth]
        chosen += sorted(kinds, key=lambda one: -one.share)[:most]
    return chosen


def proof_truths(
    system: str, cost: SystemCost, read: RecordingSurvey, pricing: Pricing, kinds: Sequence[str],
    python: Path | None, say: Say,
) -> list[Truth]:  # fmt: skip
    """Return what ``--prove`` says of the best remedy of each kind."""
    gains = []
    for kind in kinds:
        numbers = [number for number, one in enumerate(cost.remedies, 1) if one.kind == kind]
        if not numbers:
            continue
        number = max(numbers, key=lambda number: cost.remedies[number - 1].share)
        remedy = cost.remedies[number - 1]
        if not remedy.share and kind != changes.SEGMENT:
            continue  # nothing is promised that has a figure
        say(f"{system}: {remedy.topic}: {remedy.what}")
        turns = proof(cost, read, pricing, number, python, lambda *_: None).turns
        what = f"{remedy.topic}: {remedy.what}"
        if remedy.share > 0:
            saved = [pair.before.share - pair.after.share for pair in turns]
            gains.append(Truth(system, what, remedy.share, *mean_with_noise(saved)))
        if kind == changes.SEGMENT:
            shorter = [
                1 - (pair.after.latency_ns or 0.0) / (pair.before.latency_ns or 1.0)
                for pair in turns
            ]
            gains.append(Truth(system, f"{what}: latency", TO_A_THIRD, *mean_with_noise(shorter)))
    return gains


def osi_truths(say: Say) -> Truths:
    """Return what encoding and decoding a sensor view takes, and what generated code saves."""
    system = "OSI over FMUs, C++"
    path = scratch.make("osi") / "robot_sv.osi"
    with create_trace(path, "SensorView") as trace:
        for number in range(VIEWS):
            trace.write(number * PERIOD_NS, _sensor_view(number))
    read, pricing = survey([path], (), lambda *_: None), Pricing(known_prices(), "cpp")
    cost = system_cost([str(path)], read, pricing, {})
    (topic,) = cost.topics
    say(f"{system}: {topic.type}")
    turns = list(codec_turns(topic, read.topics[0], "cpp", changes.GENERATED, lambda *_: None))
    shares = [
        Truth(system, f"{what} {topic.type}", promised or 0.0, *mean_with_noise(measured))
        for what, promised, measured in (
            ("encode", topic.encode_share, [pair.before.publish_share for pair in turns]),
            ("decode", topic.decode_share, [pair.before.take_share for pair in turns]),
        )
    ]
    gains = [
        Truth(
            system, remedy.what, remedy.share,
            *mean_with_noise([pair.before.share - pair.after.share for pair in turns]),
        )
        for remedy in cost.remedies
        if remedy.kind == changes.GENERATED
    ]  # fmt: skip
    return Truths(shares, gains)


def _with(graph: RunningGraph, topic: str, mode: str) -> Shares:
    graph.set(topic, mode)
    shares = graph.shares(SECONDS)
    graph.set(topic, ON)
    return shares


def promised_of(cost: SystemCost, node: str) -> float:
    """Return what a node's process pays by the prices."""
    return sum(
        (topic.publish_share or 0.0) * (node in (topic.publishers or ()))
        + (topic.take_share or 0.0) * (topic.takers or []).count(node) / max(1, topic.subscribers)
        for topic in cost.topics
    )


def bytes_truths(client: str, middleware: str, prices: PathRounds, say: Say) -> Truths:
    """Return what publishers and subscribers of bytes of several sizes say, in C++.

    Raises UserError, ProgramFailedError.
    """
    library = prices.path.library(None)
    system = f"{client} over {MIDDLEWARES[middleware]}, C++"
    turns: dict[int, list[Account]] = {size: [] for size in SIZES_HZ}
    with StandInProcesses(library, 1) as processes:
        for number in range(ROUNDS):
            if number % CALIBRATED == 0:
                price = prices.measured()
            for size, hz in SIZES_HZ.items():
                say(f"{system}: {size:,} bytes, round {number + 1} of {ROUNDS}")
                data = _bytes(size, prices.path.wire)
                processes.open(StandIn(library, BYTES, [data], hz, 1))
                turns[size].append(processes.turn(TURN_S))
    shares = []
    for size, hz in SIZES_HZ.items():
        what = f"{size:,} bytes at {hz:g} Hz"
        for end, ns, measured in (
            ("publisher", price.send_ns(size, 1, hz), [one.publisher_share for one in turns[size]]),
            (
                "subscriber",
                price.receive_ns(size, hz),
                [one.subscriber_share for one in turns[size]],
            ),
        ):
            promised = ns * hz / 1e9
            shares.append(Truth(system, f"{end}, {what}", promised, *mean_with_noise(measured)))
    return Truths(shares, [])


def _sensor_view(number: int) -> bytes:
    view = importlib.import_module("osi3.osi_sensorview_pb2").SensorView()
    view.timestamp.seconds, view.timestamp.nanos = number // RATE_HZ, number % RATE_HZ * PERIOD_NS
    lidar = view.lidar_sensor_view.add()
    for place in range(REFLECTIONS):
        reflection = lidar.reflection.add()
        reflection.signal_strength = -40.0 + place
        reflection.time_of_flight = 1e-7 * place
        reflection.normal_to_surface.x = 1.0 / (1 + place)
        reflection.object_id.value = place % 30
    data: bytes = view.SerializeToString()
    return data


def _bytes(size: int, wire: str) -> bytes:
    about = STORE.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    message = STORE.types[BYTES](layout=about, data=np.zeros(size, np.uint8))
    write = STORE.serialize_ros1 if wire == "ros1" else STORE.serialize_cdr
    return bytes(write(message, BYTES))


def mean_with_noise(values: Sequence[float]) -> tuple[float, float]:
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
