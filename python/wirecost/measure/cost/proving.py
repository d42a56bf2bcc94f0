# SPDX-License-Identifier: Apache-2.0
"""A remedy applied to stand-ins of a topic's publisher and subscribers: before and after."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from wirecost.data.clouds.point_cloud2 import remove_padding
from wirecost.data.recordings.survey import RecordingSurvey, TopicSurvey
from wirecost.measure.cost.changes import (
    CHANGES,
    GENERATED,
    HALF,
    PACKED,
    SEGMENT,
    SHARED,
    Gain,
    PricedTopic,
)
from wirecost.measure.cost.codec_proof import codec_turns
from wirecost.measure.cost.path_calibration import MEASURED, MeasuredPath, paths_of
from wirecost.measure.cost.paths import CLIENTS, MIDDLEWARES, PLAIN, PathTable
from wirecost.measure.cost.prices import STAGES, Price
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.remedies import with_gain
from wirecost.measure.cost.system_cost import with_times
from wirecost.measure.standins import programs
from wirecost.measure.standins.account import Account
from wirecost.measure.standins.description import ClientLibrary, StandIn
from wirecost.measure.standins.processes import TRANSPORTS
from wirecost.measure.standins.turns import Say, interleaved
from wirecost.results.records.cost import Remedy, SystemCost, TopicCost
from wirecost.results.records.proof import Proof, StandInTurn, TurnPair
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

SECONDS = 30.0
"""Seconds of all turns: with the start of the processes, a proof takes less than a minute."""
DEPTH, MOST_DEPTH = 10, 1000
"""Messages that an end keeps where the recording does not say, as in ROS 2, and at most."""
MOST_SUBSCRIBERS = 16
"""Subscribers of a stand-in, each a process of its own."""
FALLBACK = "fastdds"
SEGMENT_BYTES = 64 << 20
PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Variables that name Fast DDS's settings: before version 3, and since."""
PROFILE = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <transport_descriptors>
    <transport_descriptor>
      <transport_id>memory</transport_id><type>SHM</type>
      <segment_size>{SEGMENT_BYTES}</segment_size>
    </transport_descriptor>
    <transport_descriptor><transport_id>udp</transport_id><type>UDPv4</type></transport_descriptor>
  </transport_descriptors>
  <participant profile_name="larger segment" is_default_profile="true"><rtps>
    <useBuiltinTransports>false</useBuiltinTransports>
    <userTransports>
      <transport_id>memory</transport_id><transport_id>udp</transport_id>
    </userTransports>
  </rtps></participant>
</profiles></dds>
"""
"""A larger segment of shared memory, and everything else as Fast DDS has it."""

Applied = Callable[[StandIn, TopicSurvey], StandIn]


def proof(
    cost: SystemCost,
    read: RecordingSurvey,
    pricing: Pricing,
    number: int,
    python: Path | None,
    say: Say,
    seconds: float = SECONDS,
) -> Proof:
    """Measure what the remedy of a number, from 1, saves. Raises UserError.

    ``python``: where rclpy is, None for this one.
    """
    if not 1 <= number <= len(cost.remedies):
        there = f"1 to {len(cost.remedies)}" if cost.remedies else "none: nothing is worth changing"
        raise UserError(f"--prove {number}: there is no such advice; its numbers are {there}")
    remedy = cost.remedies[number - 1]
    survey = max(
        (one for one in read.topics if one.connection.topic == remedy.topic),
        key=lambda one: one.count,
    )
    topic = next(
        one
        for one in cost.topics
        if (one.topic, one.type) == (remedy.topic, survey.connection.type)
    )
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    client = why_client = ""
    if remedy.kind == GENERATED or (topic.library and topic.send_ns is None):
        turns = codec_turns(topic, survey, topic.publisher_lang or cost.lang, remedy.kind, say)
    else:
        path, client, why_client = path_for(topic, cost.lang, pricing, python)
        if path.transport not in programs.PYTHON:
            remedy = repriced(remedy, survey, topic, pricing_of_bytes(pricing, path.client))
        elif why_client:
            remedy = repriced(remedy, survey, topic, replace(pricing, lang="python", langs={}))
        library = path.library(python)
        turns = _applied(remedy.kind, topic, survey, library, seconds, say)
    try:
        pairs = list(turns)
    except ProgramFailedError as error:
        raise UserError(f"--prove {number}: {error}; try again, or give another --over") from error
    return Proof(
        files=list(cost.files),
        remedy=remedy,
        client=client,
        why_client=why_client,
        rate_hz=topic.rate_hz,
        subscribers=topic.subscribers,
        type=topic.type,
        load=load,
        turns=pairs,
    )


def _applied(
    kind: str, topic: TopicCost, survey: TopicSurvey, library: ClientLibrary, seconds: float,
    say: Say,
) -> Iterator[TurnPair]:  # fmt: skip
    """Yield turns of a topic's stand-ins as they are, and with a remedy. Raises UserError."""
    if topic.subscribers > MOST_SUBSCRIBERS:
        raise UserError(
            f"--prove: {topic.topic} has {topic.subscribers:,} subscribers, and each would be a "
            f"process here; give at most {MOST_SUBSCRIBERS} with --subscribers"
        )
    before = stand_in(topic, survey, library)
    for first, second in interleaved(before, APPLIED[kind](before, survey), seconds, say):
        yield TurnPair(before=_turn(first), after=_turn(second))


def path_for(
    topic: TopicCost, lang: str, pricing: Pricing, python: Path | None
) -> tuple[MeasuredPath, str, str]:
    """Return the path of a topic's stand-in, its name, and why it is another than the topic's.

    Raises UserError where none can stand in.
    """
    asked = CLIENTS.get((topic.wire, topic.publisher_lang or lang), PLAIN)
    middleware = pricing.middleware_of(topic.wire) or FALLBACK
    over, missing = MIDDLEWARES.get(middleware, middleware), None
    in_python = (
        path
        for path in MEASURED
        if path.middleware == middleware and path.transport in programs.PYTHON
    )
    for path in (*paths_of(asked, middleware), *paths_of(PLAIN, middleware), *in_python):
        missing = programs.missing(path.library(python))
        if missing is None and path.client == asked:
            return path, f"{asked} over {over}", ""
        if missing is None:
            name = f"plain {over} in C++" if path.client == PLAIN else f"{path.client} over {over}"
            return path, name, f"because {asked} cannot be run here"
    raise UserError(
        f"--prove: {topic.topic}: nothing here publishes over {over}; "
        + (missing or "choose another --over")
    )


def pricing_of_bytes(pricing: Pricing, client: str) -> Pricing:
    """Return prices of a native stand-in: its client's paths for all, and no codec."""
    prices = pricing.prices
    free: dict[str, Price] = {stage: {} for stage in STAGES}
    sure = dict.fromkeys(STAGES, 0.0)
    codecs = {
        name: replace(price, stages=free, spread=sure) for name, price in prices.prices.items()
    }
    paths = dict(prices.paths.paths)
    for path in prices.paths.paths.values():
        if path.client == client:
            others = (replace(path, client=one) for one in CLIENTS.values())
            paths |= {other.name: other for other in others}
    return replace(pricing, prices=replace(prices, prices=codecs, paths=PathTable(paths)))


def repriced(remedy: Remedy, survey: TopicSurvey, topic: TopicCost, pricing: Pricing) -> Remedy:
    """Return a remedy with what it saves by other prices, where these know the topic."""
    pricing = replace(pricing, wakes_hz={})  # a stand-in has this topic alone
    ends = pricing.ends(topic.publishers, topic.takers, topic.subscribers, topic.rate_hz or None)
    if survey.parts is None:
        return remedy
    times = pricing.times(topic.wire, survey.parts, topic.mean_bytes, ends)
    if times is None or times.send_ns is None:
        return remedy
    cost = msgspec.structs.replace(with_times(topic, times), packed_ns=None)
    change = next(one for one in CHANGES if one.kind == remedy.kind)
    priced = PricedTopic(survey, cost, pricing)
    return with_gain(remedy, change.gain(priced) or Gain(), cost)


def stand_in(topic: TopicCost, survey: TopicSurvey, library: ClientLibrary) -> StandIn:
    """Return a topic's stand-in, as it is."""
    depth = re.search(r"keep last (\d+)", topic.qos)
    return StandIn(
        library,
        topic.type,
        list(survey.sample.values()),
        topic.rate_hz,
        max(1, topic.subscribers),
        reliable="best effort" not in topic.qos,
        depth=min(MOST_DEPTH, int(depth[1])) if depth else DEPTH,
    )


def _turn(account: Account) -> StandInTurn:
    ends = (account.publisher, *account.subscribers)
    latencies = account.latencies_ns
    return StandInTurn(
        publish_share=account.publisher_share,
        take_share=account.subscriber_share,
        idle_share=sum(end.idle_ns for end in ends) / 1e9 / account.seconds,
        bytes_per_s=account.bytes_per_s,
        latency_ns=max(0.0, float(np.median(latencies))) if len(latencies) else None,
        received=account.received,
    )


def _half(before: StandIn, survey: TopicSurvey) -> StandIn:
    del survey
    return replace(before, rate_hz=before.rate_hz / 2)


def _packed(before: StandIn, survey: TopicSurvey) -> StandIn:
    """Return clouds without padding. Raises UserError where none has any."""
    subject = survey.subject
    assert subject is not None
    messages = []
    for message in survey.whole_messages():
        if remove_padding(message):
            messages.append(subject.write(message))
    if not messages:
        raise UserError(f"{survey.connection.topic}: no message of the sample has padding")
    return replace(before, messages=messages)


def _shared(before: StandIn, survey: TopicSurvey) -> StandIn:
    del survey
    environment = {
        name: value for name, value in before.library.environment.items() if name != TRANSPORTS
    }
    return replace(before, library=replace(before.library, environment=environment))


def _larger_segment(before: StandIn, survey: TopicSurvey) -> StandIn:
    del survey
    path = scratch.make("profile") / "profile.xml"
    path.write_text(PROFILE, encoding="utf-8")
    environment = {**before.library.environment, **dict.fromkeys(PROFILES, str(path))}
    settings = {**before.library.settings, "segment_bytes": SEGMENT_BYTES}
    library = replace(before.library, environment=environment, settings=settings)
    return replace(before, library=library)


APPLIED: dict[str, Applied] = {
    HALF: _half,
    PACKED: _packed,
    SHARED: _shared,
    SEGMENT: _larger_segment,
}
"""What a remedy of settings or messages changes, by its kind."""
