# SPDX-License-Identifier: Apache-2.0
"""A survey's topics with what each costs every second, from prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from wirecost.data.messages.cdr import plain_order
from wirecost.data.recordings.survey import RecordingSurvey, TopicSurvey
from wirecost.measure.cost.pricing import EndTimes, Pricing
from wirecost.measure.cost.remedies import remedies
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

MISSED = 2
"""Messages that a topic may lack at the recording's ends and still count as always there."""


def system_cost(
    files: Sequence[str],
    read: RecordingSurvey,
    pricing: Pricing,
    subscribers: Mapping[str, int],
) -> SystemCost:
    """Price all topics. Raises UserError where ``subscribers`` names one that is not there."""
    names = {topic.connection.topic for topic in read.topics}
    if absent := sorted(subscribers.keys() - names):
        raise UserError(f"--subscribers {absent[0]}=…: the recording has no such topic")
    pricing = replace(pricing, wakes_hz=_wakes_hz(read))
    priced = [(topic, _priced(topic, pricing, subscribers)) for topic in read.topics]
    priced.sort(key=lambda pair: (-pair[1].share, -pair[1].bytes_per_s, pair[1].topic))
    topics = [cost for _, cost in priced]
    timed = [cost for cost in topics if cost.encode_ns is not None] or topics
    used = {lang for topic in timed for lang in (topic.publisher_lang, *topic.taker_langs)}
    return SystemCost(
        files=list(files),
        lang=pricing.lang,
        duration_s=read.duration_s,
        prices=dict(pricing.prices.about),
        is_own=all(topic.is_own for topic in timed if topic.encode_ns is not None),
        is_partly_own=any(
            path is not None and path.is_own
            for path in (pricing.path(topic.wire, lang) for topic in timed for lang in used)
        ),
        topics=topics,
        remedies=remedies(files, priced, pricing),
        over=pricing.middleware,
        includes=pricing.includes(
            {topic.wire for topic in timed}, {topic.type for topic in timed}, used
        ),
        warnings=read.warnings,
        is_whole=read.is_whole,
    )


def _priced(read: TopicSurvey, pricing: Pricing, subscribers: Mapping[str, int]) -> TopicCost:
    connection = read.connection
    rate_hz = _rate_hz(read)
    count = subscribers.get(
        connection.topic, 1 if read.subscribers is None else len(read.subscribers)
    )
    ends = pricing.ends(read.publishers, read.subscribers, count, rate_hz or None)
    cost = TopicCost(
        topic=connection.topic,
        type=connection.type,
        wire=connection.wire,
        count=read.count,
        bytes=read.byte_count,
        median_bytes=read.sizes.median,
        largest_bytes=read.sizes.largest,
        rate_hz=rate_hz or 0.0,
        # Those without a time were published before anybody listened.
        has_rate=rate_hz is not None or read.times.count < 2,
        subscribers=count,
        unknown=read.unknown,
        publishers=read.publishers,
        takers=read.subscribers,
        publisher_lang=next(iter(ends.publishers)),
        taker_langs=dict(ends.takers),
        qos=read.qos,
        missed=read.missed,
    )
    if read.subject is None or not read.count:
        return cost
    if read.parts is None:
        return msgspec.structs.replace(cost, unknown=_why_unread(read))
    times = pricing.times(connection.wire, read.parts, cost.mean_bytes, ends)
    if times is None:
        return msgspec.structs.replace(cost, unknown="no timings; --calibrate")
    return with_times(cost, times)


def with_times(cost: TopicCost, times: EndTimes) -> TopicCost:
    """Return the same with times of a message."""
    carry_ns = None
    if times.send_ns is not None and times.receive_ns is not None:
        carry_ns = times.send_ns + times.receive_ns * cost.subscribers
    return msgspec.structs.replace(
        cost,
        library=times.library,
        encode_ns=times.encode_ns,
        decode_ns=times.decode_ns,
        send_ns=times.send_ns,
        receive_ns=times.receive_ns,
        carry_ns=carry_ns,
        publish_spread=times.publish_spread,
        take_spread=times.take_spread,
        is_own=times.is_own,
    )


def _why_unread(read: TopicSurvey) -> str:
    """Return in a few words why no message of the sample is of its type."""
    if read.connection.wire == "cdr":
        try:
            plain_order(next(iter(read.sample.values())))
        except ValueError as error:
            return shown(str(error))
    return "not of its type"


def _wakes_hz(read: RecordingSurvey) -> dict[str, float]:
    """Return the messages that each known node publishes and takes in a second."""
    wakes_hz: dict[str, float] = {}
    for topic in read.topics:
        rate_hz, publishers = _rate_hz(topic) or 0.0, topic.publishers or []
        of_each = [(node, rate_hz / len(publishers)) for node in publishers]
        for node, hz in (*of_each, *((node, rate_hz) for node in topic.subscribers or ())):
            wakes_hz[node] = wakes_hz.get(node, 0.0) + hz
    return wakes_hz


def _rate_hz(read: TopicSurvey) -> float | None:
    """Return messages per second, None where the recording's clock does not say."""
    if read.watched_s is not None:
        read.times.watched_ns = round(read.watched_s * 1e9)
    return read.times.rate_hz(MISSED)
