# SPDX-License-Identifier: Apache-2.0
"""Changes that may make a topic cheaper: where each applies, what it saves, what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot

import zstandard

from wirecost.data.messages.anatomy import CACHED
from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.cloud import padding_share
from wirecost.measure.cost.paths import BYTE, FRAGMENT, MESSAGE
from wirecost.measure.cost.pricing import EndTimes, Pricing, TopicEnds
from wirecost.results.records.cost import TopicCost
from wirecost.schema.compile.schema import Kind, Label

PACKED, HALF, SEGMENT, SHARED = "packed", "half rate", "larger segment", "shared memory"
ONE_PROCESS, LOANED, GENERATED, COMPRESSED = "one process", "loaned", "wirecost", "zstd -1"
LEAST_COMPRESSED, MOST_COMPRESSED = 4 << 10, 1 << 20
"""Bytes of a topic's sample that are worth compressing, and that are compressed."""
LARGE = 64 << 10
"""Bytes of a message from which on handing over memory beats encoding it."""
SEGMENT_BYTES = 512 << 10
"""Size of Fast DDS's segment of shared memory, unless its settings say another."""
CONTAINERS = {"cdr": "rclcpp components in one container (use_intra_process_comms, unique_ptr)",
              "ros1": "nodelets in one manager (ConstPtr)"}  # fmt: skip
"""How nodes in C++ hand messages over without encoding them, by wire."""


@dataclass(frozen=True)
class PricedTopic:
    """A topic with what it costs, and how other messages on it would be priced."""

    read: TopicSurvey
    cost: TopicCost
    pricing: Pricing

    @property
    def middleware(self) -> str:
        return self.pricing.middleware_of(self.cost.wire)

    @property
    def is_cpp(self) -> bool:
        """True where all ends are C++."""
        return {self.cost.publisher_lang, *self.cost.taker_langs} == {"cpp"}

    @property
    def is_fixed(self) -> bool:
        """True where all messages of the type have the same size, as a loan asks for."""
        if self.read.subject is None:
            return False
        fields = (field for one in self.read.subject.schema.messages() for field in one.fields)
        return not any(
            field.label in (Label.REPEATED, Label.MAP)
            or (isinstance(field.type, Kind) and field.type.is_text)
            for field in fields
        )

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
        return self.pricing.ends(self.cost.publishers, self.cost.takers, self.cost.subscribers)


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

    def spread(self, cost: TopicCost) -> float | None:
        """Return the relative error of the time, which is that of the topic's times."""
        whole = self.publish_ns + self.take_ns
        if cost.publish_spread is None or cost.take_spread is None or not whole:
            return None
        return hypot(self.publish_ns * cost.publish_spread, self.take_ns * cost.take_spread) / whole


@dataclass(frozen=True)
class Change:
    """A change of one kind. ``what``: to do, in half a sentence; ``gain``: None where it has none.

    ``effort``: of EFFORTS; ``loses``: what it gives up for it; ``is_advice``: the first answer may
    offer it; ``is_provable``: stand-ins can apply it.
    """

    kind: str
    effort: str
    applies: Callable[[PricedTopic], bool]
    gain: Callable[[PricedTopic], Gain | None]
    what: Callable[[PricedTopic], str]
    loses: bool = False
    is_advice: bool = True
    is_provable: bool = True


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
    return Gain(publish_ns / 2, take_ns / 2, 0.5, is_sure=True)


def _shared(topic: PricedTopic) -> Gain | None:
    after = topic.by_middleware("fastdds")
    if after is None or after.send_ns is None or topic.cost.send_ns is None:
        return None
    publish_ns, take_ns = _saved(topic.cost, after)
    return Gain(publish_ns, take_ns, latency="latency falls")


def _one_process(topic: PricedTopic) -> Gain | None:
    """Return what is saved where only a pointer goes from one node to another.

    Of further subscribers each gets a copy; waking up and the executor stay.
    """
    cost, path = topic.cost, topic.pricing.path(topic.cost.wire, "cpp")
    if path is None or cost.encode_ns is None or cost.decode_ns is None:
        return None
    copies_ns = cost.encode_ns * (cost.subscribers - 1)
    publish_ns = cost.encode_ns + (cost.send_ns or 0.0) - copies_ns
    woken_ns = path.take.get(MESSAGE, 0.0)
    take_ns = (cost.decode_ns + (cost.receive_ns or 0.0) - woken_ns) * cost.subscribers
    return Gain(max(0.0, publish_ns), max(0.0, take_ns), 1.0, latency="latency falls")


def _loaned(topic: PricedTopic) -> Gain | None:
    cost, path = topic.cost, topic.pricing.path(topic.cost.wire, "cpp")
    if path is None or cost.encode_ns is None or cost.decode_ns is None:
        return None
    size, pieces = cost.mean_bytes, cost.mean_bytes / LARGE
    publish_ns, take_ns = (
        part.get(BYTE, 0.0) * size + part.get(FRAGMENT, 0.0) * pieces
        for part in (path.publish, path.take)
    )
    return Gain(
        cost.encode_ns + publish_ns, (cost.decode_ns + take_ns) * cost.subscribers, 1.0,
        latency="latency falls",
    )  # fmt: skip


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
    return Gain(publish_ns, take_ns) if publish_ns + take_ns > 0 else None


def _compressed(topic: PricedTopic) -> Gain | None:
    """Return what zstd's quickest level leaves of the sample; its own time is not known here."""
    data = b"".join(topic.read.sample.values())
    if len(data) < LEAST_COMPRESSED:
        return None
    left = len(zstandard.ZstdCompressor(level=1).compress(data[:MOST_COMPRESSED]))
    share = 1 - left / len(data[:MOST_COMPRESSED])
    return Gain(bytes_share=share, is_sure=True) if share > 0 else None


def _is_large(topic: PricedTopic) -> bool:
    return topic.cost.median_bytes >= LARGE and topic.cost.encode_ns is not None


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
    Change(
        ONE_PROCESS, "node code",
        lambda topic: topic.cost.wire in CONTAINERS and topic.is_cpp and _is_large(topic),
        _one_process, lambda topic: f"run both nodes as {CONTAINERS[topic.cost.wire]}",
        is_provable=False,
    ),
    # DDS lends memory for types without lists and texts only, and rclpy lends none.
    Change(
        LOANED, "node code",
        lambda topic: topic.cost.wire == "cdr" and topic.middleware in ("fastdds", "cyclonedds")
        and topic.is_cpp and topic.is_fixed and _is_large(topic),
        _loaned, lambda _: "publish loaned messages",
        is_provable=False,
    ),
    # Who goes through a ROS cannot change what encodes.
    Change(
        GENERATED, "node code", lambda topic: topic.cost.wire == "protobuf", _generated,
        lambda _: "encode and decode the same bytes with code by wirecost compile",
        is_provable=False,
    ),
    Change(
        HALF, "setting", lambda topic: topic.cost.rate_hz > 0, _half,
        lambda topic: f"publish at {topic.cost.rate_hz / 2:.3g} Hz if that is enough", loses=True,
    ),
    Change(
        COMPRESSED, "node code", lambda topic: topic.cost.rate_hz > 0, _compressed,
        lambda _: "compress it (the time of zstd is not included)", is_advice=False,
        is_provable=False,
    ),
)  # fmt: skip
