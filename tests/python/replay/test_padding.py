# SPDX-License-Identifier: Apache-2.0
"""Padding of CDR, against rosbags, which writes zeros for it."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from wirecost.replay.dds.definitions import definition
from wirecost.replay.middleware import Topic
from wirecost.replay.play.digests import Digests
from wirecost.replay.play.padding import Padding
from wirecost.system.errors import UserError

STORE = get_typestore(Stores.ROS2_JAZZY)
SEPARATOR = "=" * 80
MIXED = f"""uint8 a
float64 b
string c
uint16 d
Inner[] odd
float64[] numbers
bool[3] flags
Inner[2] two
Wide[] wide
string[] words
builtin_interfaces/Time time
Led led
Led[] leds
uint8 last
{SEPARATOR}
MSG: test/Inner
uint8 kind
int32 value
uint8 end
{SEPARATOR}
MSG: test/Wide
uint8 kind
float64 value
uint8 end
{SEPARATOR}
MSG: test/Led
float64 first
uint8 kind
float64 value
"""
OWN, *REST = MIXED.split(f"{SEPARATOR}\nMSG: ")
for name, text in (("test/msg/Mixed", OWN), *(both.split("\n", 1) for both in REST)):
    STORE.register(
        get_types_from_msg(text, name.replace("test/", "test/msg/").replace("msg/msg", "msg"))
    )


def mixed(seed: int) -> Any:
    chosen = random.Random(seed)
    types = STORE.types

    def inner(name: str) -> Any:
        return types[f"test/msg/{name}"](chosen.randrange(9), chosen.randrange(9), 7)

    return types["test/msg/Mixed"](
        a=1,
        b=2.5,
        c="x" * chosen.randrange(9),
        d=3,
        odd=[inner("Inner") for _ in range(chosen.randrange(30))],
        numbers=np.arange(chosen.randrange(3), dtype=np.float64),
        flags=np.array([True, False, True]),
        two=[inner("Inner"), inner("Inner")],
        wide=[inner("Wide") for _ in range(chosen.randrange(30))],
        words=["y" * chosen.randrange(6) for _ in range(chosen.randrange(4))],
        time=types["builtin_interfaces/msg/Time"](1, 2),
        led=types["test/msg/Led"](0.1, 5, 0.3),
        leds=[types["test/msg/Led"](0.7, 6, 0.9) for _ in range(chosen.randrange(4))],
        last=9,
    )


def written(message: Any, name: str) -> bytes:
    return bytes(STORE.serialize_cdr(message, name))


def padding_of(data: bytes, name: str) -> Iterator[int]:
    """Positions that rosbags does not look at: whatever is there, it reads the same."""
    expected = written(STORE.deserialize_cdr(data, name), name)
    for at in range(4, len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x01
        try:
            read = STORE.deserialize_cdr(bytes(changed), name)
            if written(read, name) == expected:
                yield at
        except (SerdeError, ValueError, AssertionError, IndexError, struct.error):
            continue


@pytest.mark.parametrize("seed", range(12))
def test_whatever_stands_between_values_is_left_out(seed: int) -> None:
    padding = Padding("test/msg/Mixed", MIXED)
    data = written(mixed(seed), "test/msg/Mixed")
    places = list(padding_of(data, "test/msg/Mixed"))
    assert len(places) > 10
    dirty = bytearray(data)
    for at in places:
        dirty[at] = 0xA5
    # Behind the last value, and how much of that there is.
    dirty += b"\x5a" * (-len(data) % 4)
    dirty[3] = -len(data) % 4
    clean = padding.without(bytes(dirty))
    assert clean is not None
    assert bytes(clean) == data
    for at in set(range(4, len(data))) - set(places):
        changed = bytearray(data)
        changed[at] ^= 0xFF
        unpadded = padding.without(bytes(changed))
        assert unpadded is None or bytes(unpadded) != data


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_are_a_message_or_none(body: bytes, little: bool) -> None:
    unpadded = MIXED_PADDING.without(bytes([0, little, 0, 0]) + body)
    assert unpadded is None or len(unpadded) <= len(body) + 4


MIXED_PADDING = Padding("test/msg/Mixed", MIXED)


def test_a_count_that_no_message_can_hold_costs_nothing() -> None:
    begun = time.process_time()
    path = Padding("nav_msgs/msg/Path", definition("nav_msgs/msg/Path", ""))
    head = bytes(8) + struct.pack("<I", 1) + b"\0" + bytes(3)
    for count in (0xFFFFFFFF, 10**9):
        assert path.without(b"\0\1\0\0" + head + struct.pack("<I", count) + bytes(1000)) is None
    assert time.process_time() - begun < 5


def test_more_elements_than_are_looked_at_are_as_any_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wirecost.replay.play.padding.MOST_ELEMENTS", 3)
    words = Padding("a/msg/Words", "string[] words\n")
    for count, is_known in ((3, True), (4, False)):
        message = b"\0\1\0\0" + struct.pack("<I", count) + bytes(4 * count)
        assert (words.without(message) is not None) is is_known


def test_messages_of_another_form_are_none() -> None:
    data = written(mixed(1), "test/msg/Mixed")
    assert MIXED_PADDING.without(data + bytes(4)) is None
    assert MIXED_PADDING.without(data[:-1]) is None
    assert MIXED_PADDING.without(b"\0\7" + data[2:]) is None
    assert MIXED_PADDING.without(b"\0\1") is None


def test_a_type_that_is_not_known() -> None:
    for name, text in (
        ("a/msg/B", ""),
        ("a/msg/B", "c/D d\n"),
        ("a/msg/B", "wstring s\n"),
        ("Plain", "uint8 a\n"),
        ("a/msg/B", "B b\n"),
        ("a/msg/" + "B" * 300, "uint8 a\n"),
        ("a/msg/B", "uint8 a  # \udc80\n"),
    ):
        with pytest.raises(UserError):
            Padding(name, text)


def test_topics_are_compared_without_padding_where_their_type_is_known() -> None:
    cloud = "sensor_msgs/msg/PointCloud2"
    digests = Digests(
        "ros2", [Topic("/a", cloud, definition=definition(cloud, "")), Topic("/b", "a/msg/B")]
    )
    empty = b"\0\1\0\0" + bytes(8) + struct.pack("<I", 1) + b"\0%b" + bytes(4 + 4 + 4)
    empty += b"\0%b" + bytes(4 + 4 + 4) + b"\1"
    message, other = empty.replace(b"%b", b"abc"), empty.replace(b"%b", b"xyz")
    assert digests.of("/a", message) == digests.of("/a", other)
    assert digests.of("/b", message) != digests.of("/b", other)
    (note,) = digests.notes()
    assert note.startswith("/b: the definition")
    assert digests.of("/a", message + bytes(9)) != digests.of("/a", message)
    assert any(note.startswith("/a: 1 message") for note in digests.notes())
