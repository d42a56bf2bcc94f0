# SPDX-License-Identifier: Apache-2.0
"""Changes that may make a topic cheaper: where each applies, what it saves, what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot

from wirecost.data.messages.anatomy import CACHED
from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.cloud import padding_share
from wirecost.measure.cost.pricing import EndTimes, Pricing, TopicEnds
from wirecost.results.records.cost import TopicCost

PACKED, HALF, SEGMENT, SHARED = "packed", "half rate", "larger segment", "shared memory"
GENERATED = "wirecost"
SEGMENT_BYTES = 512 << 10
"""Size of Fast DDS's segment of shared memory, unless its settings say another."""


@dataclass(frozen=True)
class PricedTopic:
    """A topic with what it costs, and how other messages on it would be priced."""

    read: TopicSurvey
    cost: TopicCost
    pricing: Pricing

    @property
    def middleware(self) -> str:
        return self.pricing.middleware_of(self.cost.wire)

    def smaller(self, share: float) -> EndTimes | None:
        """Return the times of messages without this share of their bytes, in lists of bytes."""
        size = self.cost.mean_bytes * (1 - share)
        if self.read.parts is None:
            return None
        octets = max(0.0, self.read.parts.octet_bytes - share * self.cost.mean_bytes)
        parts = replace(self.read.parts, octet_bytes=octets, large_bytes=max(0.0, size - CACHED))
        return self.pricing.times(self.cost.wire, parts, size, self._ends)

    def by_middleware(self, middleware: str) -> EndTimes | None:
        """Return the times over another middleware."""
        pricing = replace(self.pricing, middleware=middleware)
        if self.read.parts is None:
            return None
        return pricing.times(self.cost.wire, self.read.parts, self.cost.mean_bytes, self._ends)

    @property
    def _ends(self) -> TopicEnds:
        return self._ends_without(0.0)

    def slower_ns(self) -> tuple[float, float]:
        """Return what a message takes more at half the rate, at the publisher and all takers."""
        if self.read.parts is None:
            return 0.0, 0.0
        now, slow = (
            self.pricing.times(self.cost.wire, self.read.parts, self.cost.mean_bytes, ends)
            for ends in (self._ends, self._ends_without(self.cost.rate_hz / 2))
        )
        if now is None or slow is None:
            return 0.0, 0.0
        taken_ns = (slow.take_ns - now.take_ns) * self.cost.subscribers
        return slow.publish_ns - now.publish_ns, taken_ns

    def _ends_without(self, lost_hz: float) -> TopicEnds:
        cost, hz = self.cost, self.cost.rate_hz or None
        return self.pricing.ends(cost.publishers, cost.takers, cost.subscribers, hz, lost_hz)


@dataclass(frozen=True)
class Gain:
    """What a change saves: nanoseconds per message of the publisher and of all subscribers.

    ``bytes_share``: of the topic's bytes; ``is_sure``, ``is_measured``: see ``Remedy``.
    """

    publish_ns: float = 0.0
    take_ns: float = 0.0
    bytes_share: float = 0.0
    latency: str = ""
    memory: str = ""
    is_sure: bool = False
    is_measured: bool = False

    @property
    def is_any(self) -> bool:
        """True where something is saved: processor time, bytes or latency."""
        return self.publish_ns + self.take_ns > 0 or self.bytes_share > 0 or bool(self.latency)

    def spread(self, cost: TopicCost) -> float | None:
        """Return the relative error of the time, which is that of the topic's times."""
        whole = self.publish_ns + self.take_ns
        if cost.publish_spread is None or cost.take_spread is None or not whole:
            return None
        return hypot(self.publish_ns * cost.publish_spread, self.take_ns * cost.take_spread) / whole


@dataclass(frozen=True)
class Change:
    """A change of one kind. ``what``: to do, in half a sentence; ``gain``: None where it has none.

    ``effort``: of EFFORTS; ``loses``: it gives up something. ``proving`` applies each kind.
    """

    kind: str
    effort: str
    applies: Callable[[PricedTopic], bool]
    gain: Callable[[PricedTopic], Gain | None]
    what: Callable[[PricedTopic], str]
    loses: bool = False


def _packed(topic: PricedTopic) -> Gain | None:
    """Return what points gain that have the bytes of their fields alone."""
    share, cost = padding_share(topic.read), topic.cost
    if not share:
        return None
    after, is_measured = topic.smaller(share), cost.packed_ns is not None
    publish_ns, take_ns = (0.0, 0.0) if after is None else _saved(cost, after)
    if cost.packed_ns is not None:
        codec_ns = (
            (after.encode_ns, after.decode_ns)
            if after is not None
            else (cost.encode_ns or 0.0, cost.decode_ns or 0.0)
        )
        publish_ns += codec_ns[0] - cost.packed_ns[0]
        take_ns += (codec_ns[1] - cost.packed_ns[1]) * cost.subscribers
    return Gain(
        max(0.0, publish_ns),
        max(0.0, take_ns),
        share,
        is_sure=True,
        is_measured=is_measured,
    )


def _saved(cost: TopicCost, after: EndTimes) -> tuple[float, float]:
    """Return nanoseconds per message that other times save at the publisher and all subscribers."""
    publish_ns = (cost.encode_ns or 0.0) + (cost.send_ns or 0.0) - after.publish_ns
    take_ns = (cost.decode_ns or 0.0) + (cost.receive_ns or 0.0) - after.take_ns
    return publish_ns, take_ns * cost.subscribers


def _half(topic: PricedTopic) -> Gain:
    cost = topic.cost
    publish_ns = (cost.encode_ns or 0.0) + (cost.send_ns or 0.0)
    take_ns = ((cost.decode_ns or 0.0) + (cost.receive_ns or 0.0)) * cost.subscribers
    more = topic.slower_ns()
    return Gain((publish_ns - more[0]) / 2, (take_ns - more[1]) / 2, 0.5, is_sure=True)


def _shared(topic: PricedTopic) -> Gain | None:
    after = topic.by_middleware("fastdds")
    if after is None or after.send_ns is None or topic.cost.send_ns is None:
        return None
    publish_ns, take_ns = _saved(topic.cost, after)
    if publish_ns + take_ns <= _wrong_by(topic.cost, after):
        publish_ns = take_ns = 0.0
    return Gain(publish_ns, take_ns, latency="latency falls")


def _wrong_by(cost: TopicCost, after: EndTimes) -> float:
    """Return nanoseconds per message by which the difference of two paths' times may be wrong."""
    spreads = (cost.publish_spread, cost.take_spread, after.publish_spread, after.take_spread)
    if None in spreads or cost.is_own != after.is_own:  # two machines' times have no difference
        return float("inf")
    times = (
        (cost.encode_ns or 0.0) + (cost.send_ns or 0.0),
        ((cost.decode_ns or 0.0) + (cost.receive_ns or 0.0)) * cost.subscribers,
        after.publish_ns,
        after.take_ns * cost.subscribers,
    )
    return hypot(*(ns * (spread or 0.0) for ns, spread in zip(times, spreads, strict=True)))


def _generated(topic: PricedTopic) -> Gain | None:
    """Return what our holders of the same bytes would save."""
    cost, parts = topic.cost, topic.read.parts
    if parts is None or cost.is_measured or cost.encode_ns is None or cost.decode_ns is None:
        return None  # an estimate of ours says nothing compared with a measurement
    ours = topic.pricing.prices.of_library(topic.pricing.lang, GENERATED, cost.wire, parts)
    if ours is None:
        return None
    publish_ns = cost.encode_ns - ours.encode_ns
    take_ns = (cost.decode_ns - ours.decode_ns) * cost.subscribers
    return Gain(publish_ns, take_ns)


CHANGES = (
    Change(
        PACKED, "message definition", lambda topic: topic.cost.type.endswith("/PointCloud2"),
        _packed, lambda topic: f"remove padding ({100 * padding_share(topic.read):.0f} %)",
    ),
    Change(
        SHARED, "setting", lambda topic: topic.middleware == "fastdds-udp", _shared,
        lambda _: "let Fast DDS use shared memory on one machine",
    ),
    # A message that fills the segment waits for room, or goes by UDP.
    Change(
        SEGMENT, "setting",
        lambda topic: topic.middleware == "fastdds" and topic.cost.wire == "cdr"
        and topic.cost.median_bytes > SEGMENT_BYTES,
        lambda _: Gain(latency="latency falls to a third", memory="64 MB of memory per node"),
        lambda _: "give Fast DDS a shared-memory segment of 64 MB",
    ),
    # Who goes through a ROS cannot change what encodes.
    Change(
        GENERATED, "node code", lambda topic: topic.cost.wire == "protobuf", _generated,
        lambda _: "encode and decode the same bytes with code by wirecost compile",
    ),
    Change(
        HALF, "setting", lambda topic: topic.cost.rate_hz > 0, _half,
        lambda topic: f"publish at {topic.cost.rate_hz / 2:.3g} Hz if that is enough", loses=True,
    ),
)  # fmt: skip
