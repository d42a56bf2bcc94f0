# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live dds`` beside a writer, and what a listener of ROS 1 counts by numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.networks import run_inside
from wirecost import _dds
from wirecost.measure.cost.live.listening import HeardTopic
from wirecost.measure.cost.live.ros1_listener import Graph
from wirecost.replay.dds import qos

GRAPH = """
import signal, socket, subprocess, sys, time
from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.replay.dds import qos
writing, reading = (_dds.Participant(0, name, b"", ["127.0.0.1"]) for name in ("w", "r"))
reader = _dds.Reader(reading, "t", "T", qos.any_of_class(True, False), b"", Queue(1 << 20), 0)
writer = _dds.Writer(writing, "t", "T", qos.any_of_class(False, False), b"")
watch = subprocess.Popen([sys.executable, "-m", "wirecost", "lost", "--live", "dds", *sys.argv[1:]])
while not writer.readers() and watch.poll() is None:
    time.sleep(0.05)
small, other = (socket.socket(type=socket.SOCK_DGRAM) for _ in range(2))
small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
small.bind(("127.0.0.1", 0))
time.sleep(2)
for _ in range(100):
    other.sendto(bytes(1000), small.getsockname())
for _ in range(200):
    writer.send(bytes(8))
    time.sleep(0.01)
time.sleep(3)
watch.send_signal(signal.SIGINT)
sys.exit(watch.wait())
"""


def test_a_domain_has_refusals_and_no_places(tmp_path: Path) -> None:
    out = tmp_path / "lost.json"
    words = [sys.executable, "-c", GRAPH, "--for", "100s", "--json", out]
    done = run_inside("loopback", words)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert text.startswith("What subscribers took cannot be told. wirecost's own subscription")
    assert "--attach" not in text and "offers less reliability" in text
    found = json.loads(out.read_text())
    (subscription,) = found["subscriptions"]
    assert subscription["refusals"] and not subscription["places"]
    assert 50 < subscription["dropped_datagrams"] < 100
    assert "datagrams did not fit into its sockets; what they held cannot be told" in text
    (heard,) = found["heard"]
    assert heard["published"] > 50 and heard["missed"] == heard["lost"] == 0


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, ""),
        ({"reliable": False}, ""),
        ({"transient_local": True}, "the publisher offers less durability"),
        ({"deadline_ns": 9}, "the publisher offers less deadline"),
        ({"deadline_ns": 11}, ""),
        ({"manual_liveliness": True, "lease_ns": 1}, "less liveliness, liveliness lease"),
    ],
)
def test_a_reader_may_ask_for_no_more_than_is_offered(asked: dict[str, int], why: str) -> None:
    settings = {"reliable": True, "transient_local": False, "depth": 0}
    offered = _dds.Qos(**settings, deadline_ns=10)
    assert qos.why_not(offered, _dds.Qos(**(settings | asked))).endswith(why)
    assert bool(qos.why_not(offered, _dds.Qos(**(settings | asked)))) == bool(why)


@pytest.mark.parametrize(
    ("definition", "missed"),
    [
        ("# of a laser\n\nstd_msgs/Header header\nint32 a", 3),
        ("Header header", 3),
        ("int32 a\nHeader header", None),
        ("HeaderLike header", None),
    ],
)
def test_ros_1_numbers_messages_that_begin_with_a_header(
    definition: str, missed: int | None
) -> None:
    topic = HeardTopic("/scan", "", "ros1")
    heard = Graph(None, None, None, 1e9, listens=True)._heard(topic)
    for node, number in (("/a", 7), ("/b", 90), ("/a", 8), ("/a", 11), ("/b", 92), ("/a", 1)):
        about = {"callerid": node, "message_definition": definition}
        heard(SimpleNamespace(_connection_header=about, _buff=number.to_bytes(4, "little")))
    told = topic.document()
    assert (told["missed"] if told["is_numbered"] else None) == missed
    assert len(told["sizes"]) == 6 + (missed or 0)
