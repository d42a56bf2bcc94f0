# SPDX-License-Identifier: Apache-2.0
"""The rules of a replay one by one: idle, stamps, matching, equality."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from wirecost.replay.middleware import Topic
from wirecost.replay.play import sockets_of
from wirecost.replay.play.digests import Digests
from wirecost.replay.play.equality import compare_runs, compare_with_recording
from wirecost.replay.play.idle import Activity
from wirecost.replay.play.matching import LATEST, STAMP, Sent, latencies
from wirecost.replay.play.outputs import Output
from wirecost.replay.play.results import PREEMPTED, SENDING, WOKEN, causes, inputs_table
from wirecost.replay.play.stamps import begins_with_header, stamp_ns
from wirecost.replay.recording.reader import Stored

READER = """
import socket, sys
reader = socket.socket(fileno=int(sys.argv[1]))
print("here", flush=True)
for line in sys.stdin:
    if line == "read\\n":
        reader.recv(100)
    elif line == "spin\\n":
        while True: pass
    print("done", flush=True)
"""


@pytest.fixture
def peer() -> Iterator[tuple[subprocess.Popen[str], socket.socket]]:
    """Start a process that reads its socket when asked to; return it and the other end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
    command = [sys.executable, "-c", READER, str(accepted.fileno())]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[accepted.fileno()],
    ) as process:
        accepted.close()
        assert process.stdout is not None
        process.stdout.readline()
        yield process, ours
        process.kill()
    ours.close()


def command(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


@pytest.mark.parametrize("tables", [False, True])
def test_a_process_is_idle_once_it_slept_with_nothing_left_to_read(
    peer: tuple[subprocess.Popen[str], socket.socket], tables: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tables:
        monkeypatch.setattr(sockets_of, "PIDFD_GETFD", -1)  # a kernel that does not know the call
    process, ours = peer
    activity = Activity(process.pid)
    assert activity.wait_idle(10)
    ours.sendall(b"work")
    assert not activity.wait_idle(0.1)
    command(process, "read")
    assert activity.wait_idle(10)
    command(process, "spin")
    assert process.stdout is not None
    process.stdout.readline()
    assert not activity.wait_idle(0.1)


def test_a_process_that_is_gone_is_not_idle() -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    assert not Activity(process.pid).wait_idle(0.05)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("std_msgs/Header header\nint32 x\n", True),
        ("# comment\n\nHeader header # of it\n", True),
        ("std_msgs/msg/Header header\n", True),
        ("int32 A=3\nHeader header\n", True),
        ("int32 x\nHeader header\n", False),
        ("string A = Header\nfloat64 x\n", False),
        ("Header[] headers\n", False),
        ("", False),
        ("=====\nMSG: a/B\nHeader header\n", False),
    ],
)
def test_only_a_leading_header_has_a_stamp(definition: str, expected: bool) -> None:
    assert begins_with_header("a/B", definition) is expected
    assert begins_with_header("std_msgs/Header", definition)


def test_stamps_of_both_encodings_and_orders() -> None:
    expected = 12 * 10**9 + 34
    assert stamp_ns("ros1", struct.pack("<IIII", 99, 12, 34, 0)) == expected
    assert stamp_ns("ros2", b"\0\1\0\0" + struct.pack("<iI", 12, 34)) == expected
    assert stamp_ns("ros2", b"\0\0\0\0" + struct.pack(">iI", 12, 34)) == expected
    assert stamp_ns("ros2", b"\0\2\0\0" + struct.pack("<iI", 12, 34)) is None
    assert stamp_ns("ros1", struct.pack("<III", 99, 0, 0)) is None


@given(st.binary(max_size=40))
def test_any_bytes_have_a_stamp_or_none(message: bytes) -> None:
    for profile in ("ros1", "ros2"):
        stamp = stamp_ns(profile, message)
        assert stamp is None or isinstance(stamp, int)


def sent(index: int, at: int, stamp: int | None = None, topic: str = "/in") -> Sent:
    return Sent(topic, index, stamp, at, at, at, at + 1, 10)


PLAIN = Digests("ros1", [])


def output(index: int, at: int, stamp: int | None = None, content: bytes = b"") -> Output:
    return Output("/out", index, at, stamp, PLAIN.of("/out", content), len(content))


def test_an_output_belongs_to_the_input_of_its_stamp_else_to_the_latest() -> None:
    inputs = [sent(0, 100, 7), sent(1, 200, 8), sent(0, 250, None, "/other"), sent(2, 300, 7)]
    outputs = [
        output(0, 50),
        output(1, 260, 7),
        output(2, 270, 5),
        output(3, 280),
        output(4, 400, 7),
    ]
    matched = latencies(inputs, outputs)
    assert [
        (latency.output.index, latency.input.topic, latency.input.index, latency.rule, latency.ns)
        for latency in matched
    ] == [
        (1, "/in", 0, STAMP, 160),
        (2, "/other", 0, LATEST, 20),
        (3, "/other", 0, LATEST, 30),
        (4, "/in", 2, STAMP, 100),
    ]


def test_runs_are_compared_message_by_message(snapshot: SnapshotAssertion) -> None:
    run = [output(0, 1, content=b"a"), output(1, 2, content=b"b")]
    other = [output(0, 5, content=b"a"), output(1, 6, content=b"c")]
    equal, different, shorter = compare_runs([run, run, other, run[:1]])
    assert (equal.difference, equal.messages) == (None, 2)
    assert different.difference is not None
    assert different.difference.startswith("/out message 1")
    assert shorter.difference == snapshot


def test_a_recording_may_lack_the_ends_of_what_a_run_has() -> None:
    a, b, c = (output(i, i, content=x) for i, x in enumerate((b"a", b"b", b"c")))
    before, *stored = (Stored("/out", at, at, x) for at, x in ((5, b"z"), (15, b"a"), (16, b"b")))

    def compared(recorded: list[Stored], run: list[Output]) -> tuple[int, int, str | None]:
        comparison = compare_with_recording(recorded, 10, run, PLAIN)
        assert comparison is not None
        return comparison.messages, comparison.skipped, comparison.difference

    assert compared([before, *stored], [a, b, c]) == (2, 0, None)
    assert compared(stored, [b, c]) == (1, 1, None)
    assert compared(stored[1:], [a, b, c]) == (1, 1, None)
    assert compared(stored, [a, c, b]) == (1, 3, None)
    assert compare_with_recording([before], 10, [a], PLAIN) is None
    assert compared(stored, [])[:2] == (0, 0)
    different = compared(stored, [a, c])
    assert different[:2] == (1, 0)
    assert str(different[2]).startswith("/out message 1")


def test_a_number_that_ros_1_counts_is_no_difference() -> None:
    topics = [
        Topic(name, type_, definition=definition)
        for name, type_, definition in (
            ("/out", "a/Scan", "Header header"),
            ("/plain", "std_msgs/UInt32", "uint32 data"),
        )
    ]
    digests = Digests("ros1", topics)
    counts = [struct.pack("<IIII", seq, 12, 34, 0) for seq in (99, 0)]
    recorded = [Stored("/out", 11, 11, counts[0])]
    run = [replace(output(0, 1), digest=digests.of("/out", counts[1]))]
    comparison = compare_with_recording(recorded, 10, run, digests)
    assert comparison is not None
    assert (comparison.messages, comparison.difference) == (1, None)
    other = [replace(output(0, 1), digest=digests.of("/out", counts[1][:-1] + b"x"))]
    comparison = compare_with_recording(recorded, 10, other, digests)
    assert comparison is not None
    assert comparison.difference is not None
    assert digests.of("/plain", counts[0]) != digests.of("/plain", counts[1])


def test_what_a_latched_topic_had_kept_is_compared_too(snapshot: SnapshotAssertion) -> None:
    early, later = Stored("/out", 5, 2, b"b"), Stored("/out", 12, 12, b"c")
    run = [output(i, i, content=x) for i, x in enumerate((b"a", b"b", b"c"))]

    def compared(recorded: list[Stored], run: list[Output], latched: set[str]) -> str | None:
        comparison = compare_with_recording(recorded, 10, run, PLAIN, latched)
        assert comparison is not None
        return comparison.difference

    assert compared([early, later], run, {"/out"}) is None
    assert compared([early], run[:2], {"/out"}) is None
    assert compared([early], run[2:], {"/out"}) is not None
    other = Stored("/other", 11, 11, b"")
    assert compared([early, other], [], {"/out"}) == snapshot
    # The recorder had no reason to get it of any other topic.
    assert compare_with_recording([early], 10, run[:2], PLAIN) is None


def test_this_process_is_never_idle_while_it_asks() -> None:
    assert not Activity(os.getpid()).wait_idle(0.05)


def test_what_held_up_an_input_is_told() -> None:
    def one(due: int, ready: int, before: int, after: int) -> Sent:
        return Sent("/in", 0, None, due, ready, before, after, 10)

    played = [
        one(100, 50, 100, 900),
        one(500, 910, 915, 920),
        one(2000, 2300, 2301, 2310),
        one(2100, 2311, 2311, 2320),
        one(2315, 2321, 2321, 2330),
        one(3000, 2900, 3400, 3410),
        one(4000, 3900, 4000, 4010),
    ]
    assert causes(played) == [None, SENDING, WOKEN, WOKEN, SENDING, PREEMPTED, None]
    table = inputs_table([played, played[:1]])
    assert table["repetition"].to_list() == [1] * 7 + [2]
    assert table["cause"].to_list() == [*causes(played), None]
