# SPDX-License-Identifier: Apache-2.0
"""Messages of a latched topic that had been kept from before the recording."""

from __future__ import annotations

from wirecost.replay.middleware import Qos, Topic
from wirecost.replay.play.prepared import KEPT_NS, prepare
from wirecost.replay.recording.reader import Recorded, Stored
from wirecost.replay.recording.snapshot import JoinedTopic, Snapshot

START = 10 * KEPT_NS


def stored(topic: str, log_ns: int, publish_ns: int | None = None) -> Stored:
    return Stored(topic, log_ns, log_ns if publish_ns is None else publish_ns, b"message")


def test_what_was_published_before_is_sent_before_however_late_it_came() -> None:
    latched = Topic("/map", "a/msg/Map", qos=Qos(durability="transient_local"))
    inputs = [JoinedTopic(topic, 0.0, 0, 0) for topic in (latched, Topic("/points", "a/msg/P"))]
    soon = stored("/map", START + KEPT_NS)
    late = stored("/map", START + 3 * KEPT_NS, START - 1)
    new = stored("/map", START + 4 * KEPT_NS, START + 4 * KEPT_NS)
    points = [stored("/points", START, START - 5), stored("/points", START + 2 * KEPT_NS)]
    recorded = Recorded(inputs=[points[0], soon, points[1], late, new], outputs=[], calls=[])
    prepared = prepare(Snapshot("dds", "ros2", "/node", inputs=inputs), recorded)
    assert prepared.early == [soon, late]
    assert prepared.timed == [*points, new]
