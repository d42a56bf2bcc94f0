# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench message``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Amount, Count, Scenario, columns
from wirecost.results.records.table_columns import AMOUNT, TEXT

ALL = "all fields"
"""Variant of whole messages."""
LATER = "all fields, compiled last"
"""Variant of the same with contenders that compile for long, in turns with the baseline again."""
TAKEN_OUT = "fields taken out"
"""Variant of messages of which each contender lacks a field."""
WITHOUT = ", without "
"""Between a mode and the field that its messages have not."""
TOGETHER = "all of these"
"""The outermost of these fields at once."""


class MessageAbout(common.About, kw_only=True):
    wire: str


class FieldBytes(msgspec.Struct, kw_only=True):
    """``path``: ``objects[].position.x``; ``own``: without the fields in it."""

    path: str
    own: Count
    all: Count


class MessageChange(msgspec.Struct, kw_only=True):
    """A change of the schema.

    ``bytes``: of a message with it; ``ns``: what it takes besides; ``how``: measured or estimated;
    ``fields``: paths of all that it is about.
    """

    what: str
    bytes: Amount
    ns: Amount | None
    how: str
    fields: list[str] = []


class Carrying(msgspec.Struct, kw_only=True):
    """Processor time of a message on its way, in nanoseconds.

    It is that of the sender, of a subscriber, and of a server between them. ``received``: share of
    all messages.
    """

    over: str
    library: str
    sender_ns: Amount
    subscriber_ns: Amount
    server_ns: Amount
    received: Amount
    messages: Count


class AtRate(msgspec.Struct, kw_only=True):
    """``rate``: messages a second; ``carrying``: None where no transport was asked for."""

    rate: Amount
    subscribers: Count
    carrying: Carrying | None = None


class MessageRun(common.Message, kw_only=True):
    """``mode`` names behind a comma the field that the run's messages had not."""

    lang: str
    wire: str


class MessageMeta(common.Meta, kw_only=True):
    """``content``: where the messages are from; ``fields``: those of ``counted_bytes`` bytes."""

    repetitions: Count
    processes: Count
    seed: int
    type: str
    content: str
    messages: Count
    counted_bytes: Count
    fields: list[FieldBytes]
    changes: list[MessageChange]
    contenders: Mapping[str, MessageAbout]
    runs: Sequence[MessageRun]
    at_rate: AtRate | None = None
    recorded_hz: Amount | None = None
    """Rate of the recording that the messages are from."""
    lists: Sequence[str] = ()
    """Types of the elements of the lists that were tried in columns."""

    @property
    def is_synthetic(self) -> bool:
        """Return whether wirecost made the messages; older folders call them made-up."""
        return "synthetic messages" in self.content or "made-up messages" in self.content


STAGES = ("fill", "encode", "decode", "read", "destroy", "total")
PLUGIN_ORDER = 11
SCENARIO = Scenario(
    meta=MessageMeta,
    columns=columns({"ns": AMOUNT, "lang": TEXT, "mode": TEXT, "wire": TEXT}),
    stages=STAGES,
    needed=STAGES,
    baseline=("protobuf", "new"),
    rivals=frozenset({"protobuf", "protobuf-current"}),
    usual=("gencpp", "rosidl-fastrtps", "fast-cdr", "genpy", "rclpy", "rosbags"),
)
