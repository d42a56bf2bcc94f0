# SPDX-License-Identifier: Apache-2.0
"""The benchmark's independent readers: they must see what a wrong contender would do."""

from __future__ import annotations

import pytest

from wirecost.bench.notification import readers
from wirecost.bench.notification.backend import Carried
from wirecost.bench.notification.content import Value, canonical, parse
from wirecost.bench.notification.race import _fault

VALUE = Value(
    (b"id", 7),
    b"/a/",
    b"s",
    b"\x01\xff",
    b"m",
    ((b"c", 1),),
    (1, 2, 3, 4),
    ((b"t", 5),),
    ((b"k", b"v"), (b"", b"w")),
)
ROS1 = (
    b"\2\0\0\0id\7\0\0\0" b"\3\0\0\0/a/" b"\1\0\0\0s" b"\2\0\0\0\1\xff" b"\1\0\0\0m"
    b"\1\0\0\0" b"\1\0\0\0c\1\0\0\0"
    + b"".join(n.to_bytes(8, "little") for n in (1, 2, 3, 4))
    + b"\1\0\0\0" b"\1\0\0\0t" + (5).to_bytes(8, "little")
    + b"\2\0\0\0" b"\1\0\0\0k\1\0\0\0v" b"\0\0\0\0\1\0\0\0w"
)  # fmt: skip
PROTOBUF = (
    b"\x32\3/a/" b"\x3a\1s" b"\x4a\2\1\xff" b"\x6a\5\n\1c\x10\1" b"\x72\1m"
    b"\x7a\x1e\x10\1\x18\2\x20\3\x28\4" b"\x32\5\n\1t\x10\5" b"\x3a\6\n\1k\x12\1v"
    b"\x3a\5\n\0\x12\1w" b"\xe2\6\6\n\2id\x10\7"
)  # fmt: skip


def test_canonical_line_is_read_back() -> None:
    assert parse(canonical(VALUE)) == VALUE


@pytest.mark.parametrize(("wire", "data"), [("ros1", ROS1), ("protobuf", PROTOBUF)])
def test_reads_a_message(wire: str, data: bytes) -> None:
    assert readers.read(wire, data) == VALUE


def test_reads_aligned_and_terminated_strings() -> None:
    body = b"\3\0\0\0id\0\0\7\0\0\0" + b"\2\0\0\0s\0\0\0" * 4 + b"\0\0\0\0" + b"\0\0\0\0"
    body = body[: 12 + 32 + 4]
    body += b"".join(n.to_bytes(8, "little") for n in (1, 2, 3, 4)) + b"\0" * 8
    found = readers.read("cdr", b"\0\1\0\0" + body)
    assert found.scope == b"s"
    assert found.times == (1, 2, 3, 4)


@pytest.mark.parametrize(("wire", "data"), [("ros1", ROS1), ("protobuf", PROTOBUF)])
def test_whatever_is_altered_is_seen(wire: str, data: bytes) -> None:
    expected = [canonical(VALUE)]
    assert _fault(wire, [Carried("x", 0, data, expected[0])], expected) is None
    for position in range(len(data)):
        altered = bytearray(data)
        altered[position] ^= 1
        carried = Carried("x", 0, bytes(altered), expected[0])
        assert _fault(wire, [carried], expected) is not None, position
    assert _fault(wire, [Carried("x", 0, data[:-1], expected[0])], expected) is not None


def test_a_wrong_decoder_is_named() -> None:
    wrong = canonical(VALUE).replace(" 2 3 4 ", " 2 9 4 ")
    fault = _fault("ros1", [Carried("x", 0, ROS1, wrong)], [canonical(VALUE)])
    assert fault == "message 0 as decoded has receive_time '9' instead of '3'"
