# SPDX-License-Identifier: Apache-2.0
"""Drops made on purpose: counts are exact where numbers exist, and nothing else is called lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from lost.recordings import BEGIN, SECOND, Drive, Sent, bag, db3, mcap, steady
from wirecost.data.recordings.series import read_series
from wirecost.measure.lost.recording import lost_messages
from wirecost.replay.middleware import Topic
from wirecost.replay.recording.writer import INPUT, RecordingWriter
from wirecost.replay.systems import SYSTEMS
from wirecost.results.records.lost import (
    CLOCK,
    COMMON,
    LATE,
    LOST,
    RECORDER,
    RESTARTED,
    SHARED,
    SPLIT,
    SYSTEM,
    UNKNOWN,
    UNPUBLISHED,
    LostMessages,
    TopicGaps,
)

LAST = 2000
"""Number of the last message of /imu, which is never lost: nobody could tell."""
Write = Callable[[Path, Drive], Path]


def counting(path: Path, drive: Drive) -> Path:
    return db3(path, drive, counts=True)


NUMBERED = {"drive.bag": bag, "drive.mcap": mcap, "drive": counting}
"""Formats with numbers: of ROS 1's publisher, of MCAP, of a field that counts."""
PUBLISHERS = {"drive.bag": bag, "drive": counting}
"""Those whose numbers are the publisher's for certain."""


def read(*paths: Path) -> LostMessages:
    series = read_series(paths, (), lambda _done, _total, _text: None)
    return lost_messages([str(path) for path in paths], series)


def topics(lost: LostMessages) -> dict[str, TopicGaps]:
    return {topic.topic: topic for topic in lost.topics}


def verdicts(topic: TopicGaps) -> set[str]:
    return {gap.verdict for gap in topic.gaps}


def robot() -> Drive:
    drive = Drive()
    for topic, hz in (("/imu", 100), ("/odom", 50), ("/points", 10)):
        drive.publish(topic, steady(hz))
    return drive


def between(begin_s: float, end_s: float) -> Callable[[Sent], bool]:
    return lambda one: begin_s * SECOND <= one.stamp_ns - BEGIN < end_s * SECOND


def at_random(share: float) -> Callable[[Sent], bool]:
    random = Random(1)
    return lambda one: 0 < one.number < LAST and random.random() < share


LOSSES = {
    "one": lambda one: one.number == 77,
    "burst": between(3.0, 4.2),
    "bursts": lambda one: one.number % 50 in (20, 21, 22),
    "some": at_random(0.05),
    "most": at_random(0.99),
}


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        (name, loss)
        for name in NUMBERED
        for loss in LOSSES
        if (name, loss) != ("drive", "most")  # the field does not grow by one with most messages
    ],
)
def test_counts_are_exact_where_numbers_exist(tmp_path: Path, name: str, loss: str) -> None:
    drive = robot()
    drive.topics["/imu"].append(Sent(LAST, BEGIN + 20 * SECOND, BEGIN + 20 * SECOND))
    count = drive.lose("/imu", LOSSES[loss])
    found = topics(read(NUMBERED[name](tmp_path / name, drive)))
    imu = found["/imu"]
    assert imu.missing(LOST) == count
    assert imu.missing(UNKNOWN) == 0
    assert imu.numbered in ("header.seq", "sequence", "counter")
    assert not found["/odom"].gaps and not found["/points"].gaps
    logged = [one for one in drive.topics["/imu"] if one.logged_ns is not None]
    starts = [
        (before.stamp_ns - BEGIN) / SECOND
        for before, after in pairwise(logged)
        if after.number > before.number + 1
    ]
    assert [gap.start_s for gap in imu.gaps] == pytest.approx(starts)


@pytest.mark.parametrize("name", PUBLISHERS)
def test_a_publisher_that_pauses_loses_nothing(tmp_path: Path, name: str) -> None:
    drive = robot()
    drive.publish("/imu", [*steady(100, 5.0), *steady(100, 5.0, BEGIN + 8 * SECOND)])
    lost = read(PUBLISHERS[name](tmp_path / name, drive))
    (gap,) = topics(lost)["/imu"].gaps
    assert (gap.verdict, gap.missing) == (UNPUBLISHED, 0)
    assert (gap.start_s, gap.duration_s) == pytest.approx((4.99, 3.01))
    assert not lost.missing(LOST, UNKNOWN) and not lost.shared


def test_numbers_of_mcap_do_not_tell_who_gave_them(tmp_path: Path) -> None:
    """A recorder that numbers what it gets sees no loss before it."""
    drive = robot()
    drive.publish("/imu", [*steady(100, 5.0), *steady(100, 5.0, BEGIN + 8 * SECOND)])
    (gap,) = topics(read(mcap(tmp_path / "drive.mcap", drive)))["/imu"].gaps
    assert (gap.verdict, gap.missing) == (UNKNOWN, 300)


def test_without_numbers_the_file_cannot_tell(tmp_path: Path) -> None:
    drive = robot()
    drive.lose("/imu", between(3, 5))
    imu = topics(read(db3(tmp_path / "drive", drive)))["/imu"]
    assert [(gap.verdict, gap.missing) for gap in imu.gaps] == [(UNKNOWN, 200)]
    assert (imu.numbered, imu.stamped) == ("", "stamp")


def test_messages_that_come_later_are_not_lost(tmp_path: Path) -> None:
    """Whether the stamps tell, or that as many come at once behind the gap."""
    drive = robot()
    stop, go = BEGIN + 5 * SECOND, BEGIN + 7 * SECOND
    for topic in drive.topics:
        drive.change(
            topic, lambda one: go + one.number if stop < one.stamp_ns < go else one.stamp_ns
        )
    for path in (
        db3(tmp_path / "drive", drive),
        bag(tmp_path / "drive.bag", drive),
        mcap(tmp_path / "drive.mcap", drive, lambda _: 0),
        mcap(tmp_path / "more.mcap", drive, lambda _: 0, lambda one, _: one.stamp_ns),
    ):
        lost = read(path)
        assert {verdict for topic in lost.topics for verdict in verdicts(topic)} == {LATE}
        (shared,) = lost.shared
        assert (shared.cause, shared.able, len(shared.topics)) == (RECORDER, 3, 3)
        assert (shared.start_s, shared.duration_s) == pytest.approx((5, 2), abs=0.02)


@pytest.mark.parametrize(
    ("write", "name", "cause"),
    [(bag, "d.bag", RECORDER), (mcap, "d.mcap", RECORDER), (db3, "d", COMMON)],
)
def test_a_recorder_that_stops_is_one_cause(
    tmp_path: Path, write: Write, name: str, cause: str
) -> None:
    drive = robot()
    for topic in drive.topics:
        drive.lose(topic, between(5.004, 7.004))
    lost = read(write(tmp_path / name, drive))
    (shared,) = lost.shared
    assert (shared.cause, shared.topics) == (cause, ["/imu", "/odom", "/points"])
    assert (shared.start_s, shared.duration_s) == pytest.approx((5, 2), abs=0.02)
    assert lost.missing(LOST, UNKNOWN) == 200 + 100 + 20


def test_some_topics_together_share_something(tmp_path: Path) -> None:
    drive = robot()
    for topic in ("/imu", "/points"):
        drive.lose(topic, between(5.004, 7.004))
    (shared,) = read(bag(tmp_path / "drive.bag", drive)).shared
    assert (shared.cause, shared.topics, shared.able) == (SHARED, ["/imu", "/points"], 3)


def test_losses_by_chance_have_no_common_cause(tmp_path: Path) -> None:
    drive = robot()
    random = Random(3)
    for topic in drive.topics:
        drive.lose(topic, lambda _: random.random() < 0.05)
    assert not read(bag(tmp_path / "drive.bag", drive)).shared


def test_a_system_that_stands_still_loses_nothing(tmp_path: Path) -> None:
    drive = Drive()
    for topic, hz in (("/imu", 100), ("/odom", 50)):
        drive.publish(topic, [*steady(hz, 8.0), *steady(hz, 5.0, BEGIN + 15 * SECOND)])
    lost = read(bag(tmp_path / "drive.bag", drive))
    (shared,) = lost.shared
    assert shared.cause == SYSTEM
    assert not lost.missing(LOST, UNKNOWN)


def test_a_jump_of_the_recorders_clock_is_no_loss(tmp_path: Path) -> None:
    drive = robot()
    for topic in drive.topics:
        drive.change(
            topic, lambda one: one.stamp_ns + 10 * SECOND * (one.stamp_ns > BEGIN + 5 * SECOND)
        )
    for path in (db3(tmp_path / "drive", drive), bag(tmp_path / "drive.bag", drive)):
        lost = read(path)
        (shared,) = lost.shared
        assert shared.cause == CLOCK
        assert not lost.missing(LOST, UNKNOWN)


@pytest.mark.parametrize("name", ["drive.bag", "drive.mcap", "drive"])
@pytest.mark.parametrize("jump_s", [-3600, -3, 7200])
def test_a_clock_that_is_set_loses_nothing(tmp_path: Path, name: str, jump_s: int) -> None:
    drive = robot()
    for topic in drive.topics:
        drive.change(
            topic,
            lambda one: one.stamp_ns + jump_s * SECOND * (one.stamp_ns > BEGIN + 5 * SECOND),
        )
    lost = read(NUMBERED[name](tmp_path / name, drive))
    assert not lost.missing(LOST, UNKNOWN)


def test_a_split_that_loses_is_named(tmp_path: Path) -> None:
    drive = robot()
    count = sum(drive.lose(topic, between(9.9, 10.4)) for topic in drive.topics)
    paths = []
    for number, is_here in enumerate((between(0, 10), between(10, 20))):
        part = Drive({topic: list(filter(is_here, sent)) for topic, sent in drive.topics.items()})
        paths.append(bag(tmp_path / f"drive_{number}.bag", part))
    lost = read(*paths)
    assert lost.missing(LOST) == count
    (shared,) = lost.shared
    assert (shared.cause, len(shared.topics)) == (SPLIT, 3)


def test_a_split_in_which_numbers_begin_again_restarts_no_publisher(tmp_path: Path) -> None:
    drive = robot()
    count = drive.lose("/imu", between(9.9, 10.4))
    paths = []
    for number, is_here in enumerate((between(0, 10), between(10, 20))):
        part = Drive({topic: list(filter(is_here, sent)) for topic, sent in drive.topics.items()})
        first = {topic: sent[0].number for topic, sent in part.topics.items()}
        begin = {id(one): first[topic] for topic, sent in part.topics.items() for one in sent}
        path = tmp_path / f"drive_{number}.mcap"
        paths.append(mcap(path, part, lambda one, begin=begin: one.number - begin[id(one)]))
    lost = read(*paths)
    assert [verdicts(topic) for topic in lost.topics] == [{UNKNOWN}, set(), set()]
    assert topics(lost)["/imu"].missing(UNKNOWN) == pytest.approx(count, abs=1)


def test_losses_among_messages_that_came_at_once_are_counted(tmp_path: Path) -> None:
    """A recorder stood still: what waited for it came at once, without every other message."""
    drive = robot()
    drive.change("/imu", lambda one: BEGIN + 7 * SECOND if between(5, 7)(one) else one.logged_ns)
    count = drive.lose("/imu", lambda one: between(5.5, 7)(one) and one.number % 2 == 0)
    path = mcap(tmp_path / "drive.mcap", drive, published=lambda one, _: one.stamp_ns)
    assert topics(read(path))["/imu"].missing(LOST) == count > 20


def test_order_copies_and_new_starts_are_no_losses(tmp_path: Path) -> None:
    drive = robot()
    drive.change("/imu", lambda one: one.stamp_ns + (15_000_000 if one.number % 40 == 7 else 0))
    odom = drive.topics["/odom"]
    drive.topics["/odom"] = [
        *odom[:300],
        *(Sent(one.number - 400, one.stamp_ns, one.logged_ns) for one in odom[400:]),
    ]
    points = drive.topics["/points"]
    drive.topics["/points"] = sorted([*points, *points[50:60]], key=lambda one: one.stamp_ns)
    for path in (bag(tmp_path / "drive.bag", drive), mcap(tmp_path / "drive.mcap", drive)):
        lost = read(path)
        assert not lost.missing(LOST, UNKNOWN)
        assert verdicts(topics(lost)["/odom"]) == {RESTARTED}


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_events_have_no_rate_but_numbers(tmp_path: Path, share: float) -> None:
    random = Random(5)
    at, times = BEGIN, []
    for _ in range(400):
        at += int(random.expovariate(20) * SECOND)
        times.append(at)
    bursts = [
        BEGIN + 10 * burst * SECOND + n * SECOND // 10 for burst in range(9) for n in range(20)
    ]
    drive = Drive()
    drive.publish("/events", times)
    drive.publish("/bursts", bursts)
    count = drive.lose("/events", lambda one: 0 < one.number < 399 and random.random() < share)
    lost = topics(read(bag(tmp_path / "drive.bag", drive)))
    assert lost["/events"].missing(LOST) == count
    silent = read(db3(tmp_path / "drive", drive))
    assert [topic.period_s for topic in silent.topics] == [None, None]
    assert not silent.missing(LOST, UNKNOWN)


def test_a_number_of_the_file_counts_no_topic(tmp_path: Path) -> None:
    drive = robot()
    order = {id(one): number for number, (_, _, one) in enumerate(drive.in_order(), 1)}
    lost = read(mcap(tmp_path / "drive.mcap", drive, lambda one: order[id(one)]))
    assert [topic.numbered for topic in lost.topics] == [""] * 3
    assert not lost.missing(LOST, UNKNOWN)


def test_numbers_begin_again_behind_the_largest(tmp_path: Path) -> None:
    drive = robot()
    count = drive.lose("/imu", between(3, 4))
    path = mcap(tmp_path / "drive.mcap", drive, lambda one: (2**32 - 350 + one.number) % 2**32)
    assert topics(read(path))["/imu"].missing(LOST) == count


def test_a_field_that_may_be_a_clock_counts_nothing(tmp_path: Path) -> None:
    """Seconds since the start grow by one with each message at 1 Hz."""
    drive = Drive()
    drive.publish("/status", steady(1, 60))
    drive.lose("/status", between(20, 30))
    status = topics(read(counting(tmp_path / "drive", drive)))["/status"]
    assert status.numbered == ""
    assert [(gap.verdict, gap.missing) for gap in status.gaps] == [(UNKNOWN, 10)]


def test_every_second_message_passed_on_is_no_loss(tmp_path: Path) -> None:
    drive = robot()
    drive.lose("/imu", lambda one: one.number % 2 == 1)
    drive.lose("/imu", between(3, 4))
    imu = topics(read(bag(tmp_path / "drive.bag", drive)))["/imu"]
    assert (imu.step, imu.missing(LOST)) == (2, 50)


def test_numbers_that_grow_while_the_rate_is_steady_count_something_else(tmp_path: Path) -> None:
    """One topic, taken out of a file that numbers the messages of all."""
    drive = robot()
    random = Random(2)
    numbers = {id(one): 90 * one.number + random.randrange(80) for one in drive.topics["/imu"]}
    alone = Drive({"/imu": drive.topics["/imu"]})
    (imu,) = read(mcap(tmp_path / "drive.mcap", alone, lambda one: numbers[id(one)])).topics
    assert (imu.numbered, imu.gaps) == ("", [])
    assert imu.step > 50


def test_publishers_of_a_topic_count_for_themselves(tmp_path: Path) -> None:
    """A bag of ROS 1 has a connection for each."""
    drive = Drive()
    drive.publish("/a", steady(10))
    drive.publish("/b", steady(10, begin=BEGIN + SECOND // 20))
    count = drive.lose("/b", between(5, 6))
    lost = read(bag(tmp_path / "drive.bag", drive, {"/a": "/tf", "/b": "/tf"}))
    assert [(one.publisher, one.missing(LOST)) for one in lost.topics] == [
        ("/node/a", 0),
        ("/node/b", count),
    ]


def test_a_rate_that_changes_is_no_loss(tmp_path: Path) -> None:
    drive = Drive()
    drive.publish("/imu", [*steady(100, 5.0), *steady(20, 5.0, BEGIN + 5 * SECOND)])
    assert not read(db3(tmp_path / "drive", drive)).missing(LOST, UNKNOWN)


def test_a_recording_of_wirecost_leaves_out_the_numbers_of_what_it_misses(tmp_path: Path) -> None:
    path = tmp_path / "recording.mcap"
    with RecordingWriter(path, SYSTEMS["dds"]) as writer:
        channel = writer.add_topic(Topic("/scan", "std_msgs/msg/Empty"), INPUT)
        for tick in range(100):
            missed = {30: 4, 60: 1}.get(tick, 0)
            writer.write(channel, 10_000_000 * tick, 0, b"\0\1\0\0", missed)
    (scan,) = read(path).topics
    assert [(gap.missing, gap.verdict) for gap in scan.gaps] == [(4, LOST), (1, LOST)]
