# SPDX-License-Identifier: Apache-2.0
"""A channel of an MCAP file whose messages can be measured."""

from __future__ import annotations

from wirecost.traces import mcap_index
from wirecost.traces.mcap_file import McapChannel, channels_of

DIALECTS = {"ros1msg": "ros1", "ros2msg": "ros2", "ros2idl": "ros2"}
"""Of ROS, by the encoding of the schema."""
ENCODINGS = {
    ("protobuf", "protobuf"),
    ("ros1", "ros1msg"),
    ("cdr", "ros2msg"),
    ("cdr", "ros2idl"),
}
"""Of messages and of their schemas."""


class MessageChannel(McapChannel):
    """See McapChannel."""

    what = "channel in Protobuf, ros1 or cdr"
    remedy = "name another recording"

    @staticmethod
    def channels(contents: mcap_index.Contents) -> dict[str, tuple[set[int], str]]:
        return channels_of(contents, ENCODINGS)
