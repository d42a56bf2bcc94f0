# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost cost`` found: a system's topics with what each costs every second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from wirecost.results.records.schemas.common import Amount, Count
from wirecost.system.errors import UserError
from wirecost.system.regular_file import open_regular, read_regular

FORMAT = "wirecost-cost"
VERSION = 1
LIVE = "--live"
LARGEST = 256 << 20
"""Bytes of a file that is read."""


class TopicCost(msgspec.Struct, kw_only=True, frozen=True):
    """A topic's messages of one definition.

    ``count``, ``bytes``: of the whole recording; ``rate_hz``: 0 for a single message;
    ``has_rate``: false where the times of the messages give no rate; ``library``: whose times
    ``encode_ns`` and ``decode_ns`` of a message are, None where nobody knows them, and
    ``unknown`` says why; ``is_measured``: else they are computed from prices; ``packed_ns``:
    encoding and decoding of a cloud without padding, where that was measured; ``publishers``,
    ``takers``: names of nodes, None where nobody says; ``carry_ns``: processor time of a message on
    its way to all of them, None where nobody asked; ``missed``: messages of the count that were
    published and did not arrive, by sequence numbers, each as large as the one after it.
    """

    topic: str
    type: str
    wire: str
    count: Count
    bytes: Count
    median_bytes: Count
    largest_bytes: Count
    rate_hz: Amount
    has_rate: bool = True
    subscribers: Count = 1
    library: str = ""
    encode_ns: Amount | None = None
    decode_ns: Amount | None = None
    is_measured: bool = False
    packed_ns: tuple[Amount, Amount] | None = None
    unknown: str = ""
    carry_ns: Amount | None = None
    send_ns: Amount | None = None
    receive_ns: Amount | None = None
    publish_spread: Amount | None = None
    take_spread: Amount | None = None
    is_own: bool = False
    publisher_lang: str = ""
    taker_langs: dict[str, Count] = {}
    publishers: list[str] | None = None
    takers: list[str] | None = None
    qos: str = ""
    missed: Count = 0

    @property
    def mean_bytes(self) -> float:
        return self.bytes / self.count if self.count else 0.0

    @property
    def bytes_per_s(self) -> float:
        """Bytes that are published in a second."""
        return self.mean_bytes * self.rate_hz

    @property
    def encode_share(self) -> float | None:
        """Share of a processor core that the publisher's encoding takes."""
        return self._share_of(self.encode_ns)

    @property
    def decode_share(self) -> float | None:
        """Share of a core that the decoding of all subscribers takes."""
        share = self._share_of(self.decode_ns)
        return None if share is None else share * self.subscribers

    def _share_of(self, message_ns: float | None) -> float | None:
        """Return the share of a core that this time of each message takes, None if unknown."""
        return None if message_ns is None or not self.has_rate else message_ns * self.rate_hz / 1e9

    @property
    def publish_share(self) -> float | None:
        """Share of a core that the publisher's process takes: its encoding, and what sends it."""
        if self.encode_ns is None:
            return None
        return self._share_of(self.encode_ns + (self.send_ns or 0.0))

    @property
    def take_share(self) -> float | None:
        """Share of a core that the processes of all subscribers take."""
        if self.decode_ns is None:
            return None
        share = self._share_of(self.decode_ns + (self.receive_ns or 0.0))
        return None if share is None else share * self.subscribers

    @property
    def share(self) -> float:
        """Share of a core, 0 where nobody knows it."""
        parts = [self.publish_share, self.take_share]
        if self.send_ns is None:  # as an older version wrote it
            parts.append(self._share_of(self.carry_ns))
        return sum(part or 0.0 for part in parts)

    @property
    def known_share(self) -> float | None:
        """Share of a core, None where nobody knows it."""
        return None if self.encode_share is None else self.share


EFFORTS = ("setting", "QoS", "message definition", "node code")
"""What a change asks for, the least first."""


class Remedy(msgspec.Struct, kw_only=True, frozen=True):
    """A change, what it saves in the whole system, and the command that proves it.

    ``kind``: in a word; ``what``: in a sentence; ``bytes_per_s``: bytes saved on the wire per
    second; ``share``: saved share of a core, of which ``publish_share`` in the publisher's process
    and ``take_share`` in those of all subscribers; ``spread``: its relative error, None where
    nobody knows it; ``latency``, ``memory``: what else changes, in a few words; ``effort``: of
    EFFORTS; ``is_sure``: computed from the messages alone, not from prices; ``is_measured``: the
    share was measured; ``is_worth``: large enough to be worth the change.
    """

    topic: str
    kind: str
    what: str
    bytes_per_s: Amount = 0.0
    share: Amount = 0.0
    publish_share: Amount = 0.0
    take_share: Amount = 0.0
    spread: Amount | None = None
    latency: str = ""
    memory: str = ""
    effort: str = ""
    is_sure: bool = False
    is_measured: bool = False
    is_worth: bool = False
    command: str = ""


class InnerColumn(msgspec.Struct, kw_only=True, frozen=True):
    """Numbers of one kind within a topic's data, over a sample of its messages.

    ``count``, ``bytes``: in the sample; ``constant_bits``: of each value, the same in all;
    ``resolution``: the coarsest decimal step that all are multiples of, 0 where there is none;
    ``bits``: that would do for each value.
    """

    name: str
    type: str
    count: Count
    bytes: Count
    nan_share: Amount
    zero_share: Amount
    constant_bits: Count
    low: float
    high: float
    resolution: Amount
    bits: Count


class Packing(msgspec.Struct, kw_only=True, frozen=True):
    """A way to write a topic's messages, and what is left of their bytes."""

    what: str
    share: Amount


class FieldCost(msgspec.Struct, kw_only=True, frozen=True):
    """A field of a topic's message: its own bytes, and times by prices; None where unknown."""

    path: str
    bytes: Amount
    encode_ns: Amount | None = None
    decode_ns: Amount | None = None


class TopicInside(msgspec.Struct, kw_only=True, frozen=True):
    """Where a topic's bytes and time go.

    ``columns``: numbers within its data; ``waste``: what a cloud carries in vain, and what to do.
    """

    topic: str
    fields: list[FieldCost]
    columns: list[InnerColumn] = []
    packings: list[Packing] = []
    waste: list[str] = []


class ThreadCost(msgspec.Struct, kw_only=True, frozen=True):
    """A thread that was there to the end; ``share``: of a core that it took."""

    tid: Count
    name: str
    share: Amount


class ProcessCost(msgspec.Struct, kw_only=True, frozen=True):
    """A process of a running graph; ``share``: of a core that it took.

    ``has_ended``: it was there for a while, of which the share is;
    ``nodes``: those that are known to be in it; ``explained``: share of a core that encoding and
    decoding of their topics take by the prices, None where no node or no time is known.
    """

    pid: Count
    command: str
    share: Amount
    nodes: list[str] = []
    explained: Amount | None = None
    threads: list[ThreadCost] = []
    has_ended: bool = False


class EndCost(msgspec.Struct, kw_only=True, frozen=True):
    """What publishing or taking a topic costs a process, by breakpoints in rcl.

    ``nodes``: of the process, that have this end; ``rate_hz``: messages through the middleware;
    ``intra_hz``: handed over within the process; ``bytes_per_s``: by a sample of sizes, None where
    unknown; ``call_share``: of a core, in rcl and below; ``callback_share``: in callbacks.
    """

    pid: Count
    nodes: list[str]
    topic: str
    is_publisher: bool
    rate_hz: Amount
    intra_hz: Amount = 0.0
    bytes_per_s: Amount | None = None
    call_share: Amount = 0.0
    callback_share: Amount = 0.0

    @property
    def share(self) -> float:
        return self.call_share + self.callback_share


def is_live(files: Sequence[str]) -> bool:
    """Say whether the ``files`` of a ``SystemCost`` are a running graph."""
    return list(files[:1]) == [LIVE]


class SystemCost(msgspec.Struct, kw_only=True, frozen=True):
    """Topics, the costliest first; ``warnings``: about what could not be read.

    ``files``: recordings, or the words by which a command names a running graph; ``prices``:
    machine and date of the prices; ``is_own``: they are of this machine, ``is_partly_own``: those
    of a path are; ``over``: the middleware that was chosen instead of the usual one; ``includes``:
    what is in the times, in half a line; ``is_listened``: false where only nodes and topics were
    looked for; ``looking``: share of a core that listening itself took, None of a recording;
    ``ends``: who pays, where breakpoints were set; ``lost_records``: calls of which the kernel kept
    none.
    """

    format: str = FORMAT
    version: int = VERSION
    files: list[str]
    lang: str
    duration_s: Amount
    prices: dict[str, str]
    is_own: bool
    is_partly_own: bool = False
    topics: list[TopicCost]
    remedies: list[Remedy] = []
    processes: list[ProcessCost] = []
    inside: TopicInside | None = None
    over: str = ""
    includes: str = ""
    warnings: list[str] = []
    is_whole: bool = True
    is_listened: bool = True
    looking: Amount | None = None
    ends: list[EndCost] = []
    lost_records: Count = 0

    @property
    def worth(self) -> list[Remedy]:
        """Changes that are large enough to be done."""
        return [remedy for remedy in self.remedies if remedy.is_worth]

    @property
    def bytes(self) -> int:
        return sum(topic.bytes for topic in self.topics)

    @property
    def count(self) -> int:
        return sum(topic.count for topic in self.topics)

    @property
    def bytes_per_s(self) -> float:
        return sum(topic.bytes_per_s for topic in self.topics)

    @property
    def share(self) -> float:
        return sum(topic.share for topic in self.topics)

    @property
    def known_share(self) -> float | None:
        """Share of a core of the topics of which it is known, None where that is none."""
        known = [topic.known_share for topic in self.topics if topic.known_share is not None]
        return sum(known) if known else None

    @property
    def spread(self) -> float | None:
        """Relative error of the share, as if all topics were wrong in the same direction."""
        wrong = 0.0
        for topic in self.topics:
            for share, spread in (
                (topic.publish_share, topic.publish_spread),
                (topic.take_share, topic.take_spread),
            ):
                if share and (spread is None or not topic.is_own):
                    return None
                wrong += (share or 0.0) * (spread or 0.0)
        return wrong / self.share if self.share else None


def is_cost(path: Path) -> bool:
    """Return whether a file looks like one of ``wirecost cost --json``."""
    try:
        with open_regular(path) as file:
            return FORMAT.encode() in file.read(256)
    except OSError:
        return False


def read_cost(path: Path) -> SystemCost:
    """Read what ``wirecost cost --json`` wrote. Raises UserError."""
    remedy = "name a file that `wirecost cost --json` wrote"
    try:
        cost = msgspec.json.decode(read_regular(path, LARGEST), type=SystemCost)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise UserError(f"{path}: {error}; {remedy}") from error
    if cost.format != FORMAT or cost.version > VERSION:
        raise UserError(f"{path}: of a newer wirecost, or something else; {remedy}")
    return cost
