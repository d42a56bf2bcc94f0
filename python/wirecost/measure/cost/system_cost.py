# SPDX-License-Identifier: Apache-2.0
"""A survey's topics with what each costs every second, from prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from wirecost.data.messages.cdr import plain_order
from wirecost.data.recordings.survey import RecordingSurvey, TopicSurvey
from wirecost.measure.cost.prices import PriceList
from wirecost.measure.cost.remedies import remedies
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

MISSED = 2
"""Messages that a topic may lack at the recording's ends and still count as always there."""


def system_cost(
    files: Sequence[str],
    read: RecordingSurvey,
    prices: PriceList,
    lang: str,
    subscribers: Mapping[str, int],
) -> SystemCost:
    """Price all topics. Raises UserError where ``subscribers`` names one that is not there."""
    names = {topic.connection.topic for topic in read.topics}
    if absent := sorted(subscribers.keys() - names):
        raise UserError(f"--subscribers {absent[0]}=…: the recording has no such topic")
    priced = [(topic, _priced(topic, prices, lang, subscribers)) for topic in read.topics]
    priced.sort(key=lambda pair: (-pair[1].share, -pair[1].bytes_per_s, pair[1].topic))
    return SystemCost(
        files=list(files),
        lang=lang,
        duration_s=read.duration_s,
        prices=dict(prices.about),
        is_own=prices.is_own,
        topics=[cost for _, cost in priced],
        remedies=remedies(files, priced, prices, lang),
        warnings=read.warnings,
        is_whole=read.is_whole,
    )


def _priced(
    read: TopicSurvey,
    prices: PriceList,
    lang: str,
    subscribers: Mapping[str, int],
) -> TopicCost:
    sizes = np.frombuffer(read.sizes, np.uint64) if read.sizes else np.zeros(1, np.uint64)
    connection = read.connection
    rate_hz = _rate_hz(read)
    cost = TopicCost(
        topic=connection.topic,
        type=connection.type,
        wire=connection.wire,
        count=read.count,
        bytes=read.byte_count,
        median_bytes=int(np.median(sizes)),
        largest_bytes=int(sizes.max()),
        rate_hz=rate_hz or 0.0,
        # Those without a time were published before anybody listened.
        has_rate=rate_hz is not None or read.times.count < 2,
        subscribers=subscribers.get(
            connection.topic, 1 if read.subscribers is None else len(read.subscribers)
        ),
        unknown=read.unknown,
        publishers=read.publishers,
        takers=read.subscribers,
        qos=read.qos,
        missed=read.missed,
    )
    if read.subject is None or not read.count:
        return cost
    parts = read.parts
    priced = prices.of(lang, connection.wire, parts) if parts is not None else None
    if priced is None:
        unknown = _why_unread(read) if parts is None else "no prices; --calibrate"
        return msgspec.structs.replace(cost, unknown=unknown)
    return msgspec.structs.replace(
        cost, library=priced.library, encode_ns=priced.encode_ns, decode_ns=priced.decode_ns
    )


def _why_unread(read: TopicSurvey) -> str:
    """Return in a few words why no message of the sample is of its type."""
    if read.connection.wire == "cdr":
        try:
            plain_order(next(iter(read.sample.values())))
        except ValueError as error:
            return shown(str(error))
    return "not of its type"


def _rate_hz(read: TopicSurvey) -> float | None:
    """Return messages per second, None where the recording's clock does not say."""
    if read.watched_s is not None:
        read.times.watched_ns = round(read.watched_s * 1e9)
    return read.times.rate_hz(MISSED)
