# SPDX-License-Identifier: Apache-2.0
"""Many topics of large messages take no more memory than a bound, and lose no message by it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random

import pytest

from cost.drives import mcap
from wirecost.data.recordings import kept
from wirecost.data.recordings.kept import MEMORY_BYTES, KeptMessages, Room
from wirecost.data.recordings.survey import survey
from wirecost.measure.cost.live import listening
from wirecost.measure.cost.live.listening import HeardTopic
from wirecost.system.errors import UserError

LARGE, TOPICS = 6_000_000, 40
IMAGE = b"\0\1\0\0" + LARGE.to_bytes(4, "little") + bytes(LARGE)


def test_messages_beyond_the_room_are_the_same_again() -> None:
    room, random = Room(100), Random(3)
    topics, expected = (
        [KeptMessages(room) for _ in range(5)],
        [dict[int, bytes]() for _ in range(5)],
    )
    for _ in range(500):
        at, place = random.randrange(5), random.randrange(8)
        data = random.randbytes(random.randrange(60))
        topics[at][place] = expected[at][place] = data
    for topic, content in zip(topics, expected, strict=True):
        assert dict(topic) == content
        assert topic.byte_count == sum(map(len, content.values()))


def test_a_recording_of_large_messages_takes_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "images.mcap"
    about = ("cdr", "mine/msg/Bytes", "ros2msg", b"uint8[] data\n")
    channels = [(f"/image{number}", *about) for number in range(TOPICS)]
    mcap(path, channels, [(number, number * 10**6, IMAGE) for number in range(TOPICS)])
    tracemalloc.start()
    try:
        found = survey([path], (), lambda _done, _total, _text: None)
        octets = {topic.parts.octet_bytes for topic in found.topics if topic.parts is not None}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found.topics) == TOPICS and all(topic.parts for topic in found.topics)
    assert octets == {LARGE + 4}
    assert peak < MEMORY_BYTES + 10 * LARGE < TOPICS * LARGE


def test_a_full_folder_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept.tempfile, "TemporaryFile", refuse)
    with pytest.raises(UserError, match="No space left"):
        KeptMessages(Room(1))[0] = b"22"


def test_a_listener_holds_a_bound_and_tells_every_topic_after_a_while() -> None:
    topics = [HeardTopic(f"/image{number}", "a/msg/B", "cdr") for number in range(12)]
    sampled = set()
    for _ in range(4):
        for topic in topics:
            topic.add(IMAGE)
        assert HeardTopic.held_bytes <= listening.HELD_BYTES
        told = [topic.document() for topic in topics]
        sampled |= {one["topic"] for one in told if one["sample"]}
        assert all(one["sizes"] == [len(IMAGE)] for one in told)
        assert HeardTopic.held_bytes == 0
    assert len(sampled) == len(topics)
