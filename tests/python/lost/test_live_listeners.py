# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --live dds`` beside a writer, and what a listener of ROS 1 counts by numbers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.networks import run_inside
from support.waiting import until
from wirecost import _dds
from wirecost._middleware import TcpSink
from wirecost.measure.cost.live import listening
from wirecost.measure.cost.live.listening import KEPT, HeardTopic
from wirecost.measure.cost.live.ros1_listener import NUMBERED, Connection, Graph
from wirecost.replay.dds import qos
from wirecost.replay.middleware import Qos, Topic
from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.master_server import MasterServer
from wirecost.replay.ros1.publications import Publications
from wirecost.replay.ros1.slave import ApiServer, SlaveApi
from wirecost.replay.ros1.sockets import LOOPBACK

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
    ("definition", "is_numbered"),
    [
        ("# of a laser\n\nstd_msgs/Header header\nint32 a", True),
        ("Header header", True),
        ("int32 a\nHeader header", False),
        ("HeaderLike header", False),
    ],
)
def test_ros_1_numbers_messages_that_begin_with_a_header(
    definition: str, is_numbered: bool
) -> None:
    assert (NUMBERED.match(definition) is not None) == is_numbered


@pytest.mark.parametrize(
    ("numbers", "dropped", "missed"),
    [
        ([7, 8, 11], [0, 0, 0], 2),
        ([6, 7, 11, 12], [0, 0, 2, 0], 1),
        ([2**32 - 3, 2**32 - 2, 1], [0, 0, 0], 2),
        ([3, 6, 9, 12, 15], [0] * 5, 0),
        ([90, 91, 0, 1], [0, 0, 0, 0], 0),
        ([0, 0, 0], [0, 0, 5], 0),
        ([5, 5, 4, 5, 7], [0] * 5, 1),
        ([1, 2**31], [0, 0], 0),
    ],
)
def test_numbers_of_ros_1_may_wrap_begin_again_repeat_and_be_thinned_out(
    numbers: list[int], dropped: list[int], missed: int
) -> None:
    topic = HeardTopic("/scan", "", "ros1")
    connection = Connection(topic, is_latched=False, is_numbered=True)
    for number, lacking in zip(numbers, dropped, strict=True):
        connection.note(number.to_bytes(4, "little"), 9, lacking)
    told = topic.document()
    assert told["missed"] == missed and len(told["sizes"]) == len(numbers) + missed


def test_a_listener_of_ros_1_counts_each_publisher_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = Topic("/scan", "a/B", "0", "Header header")
    kept = replace(topic, name="/map", qos=Qos(durability="transient_local", depth=1))
    with MasterServer(LOOPBACK) as master, ExitStack() as stack:
        monkeypatch.setenv("ROS_MASTER_URI", master.uri)
        scans = [stack.enter_context(publisher(master.uri, name, topic)) for name in ("/a", "/b")]
        stack.enter_context(publisher(master.uri, "/server", kept)).send(bytes(4))
        graph = stack.enter_context(Graph(limit=1e9, listens=True))
        graph.look()
        until(lambda: all(sink.readers() for sink in scans))
        for sink, numbers in zip(scans, ((5, 6, 9), (100, 101)), strict=True):
            for number in numbers:
                sink.send(number.to_bytes(4, "little") + bytes(60))
        scan, map_ = graph.topics["/scan"], graph.topics["/map"]

        def has_come() -> bool:
            graph.listen()
            return len(scan._sizes) == 7 and bool(map_._sizes)

        until(has_come)
        told = scan.document()
        assert (told["missed"], told["sizes"], told["digest"]) == (2, [64] * 7, "0")
        assert map_.document()["times"] == [KEPT]
        assert set(told["processes"].values()) == {os.getpid()}
        assert Master(master.uri, "/me").system_state().subscribers == {}


def test_a_publisher_that_began_again_elsewhere_is_heard_and_one_above_the_limit_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = Topic("/scan", "a/B", "0", "Header header")
    monkeypatch.setattr(listening, "LOOK_S", 0.0)
    with MasterServer(LOOPBACK) as master:
        monkeypatch.setenv("ROS_MASTER_URI", master.uri)
        with Graph(limit=1e9, listens=True) as graph:
            for number in (50, 7):
                with publisher(master.uri, "/p", topic) as sink:
                    heard = _heard(graph, sink, number)
                    assert (heard["missed"], len(heard["sizes"])) == (0, 1)
                    if number == 7:
                        graph._limit = 0.0
                        graph.look()
                        until(lambda: _has_left(sink))


def _heard(graph: Graph, sink: TcpSink, number: int) -> dict[str, Any]:
    """Return what was heard of a message that is sent as soon as it is listened to."""

    def is_connected() -> bool:
        graph.look()
        return sink.readers() > 0

    def has_come() -> bool:
        graph.listen()
        return bool(graph.topics["/scan"]._sizes)

    until(is_connected)
    sink.send(number.to_bytes(4, "little"))
    until(has_come)
    return graph.topics["/scan"].document()


def _has_left(sink: TcpSink) -> bool:
    sink.send(bytes(4))
    return not sink.readers()


@contextmanager
def publisher(master_uri: str, name: str, topic: Topic) -> Iterator[TcpSink]:
    """Publish a topic as a node of ROS 1."""
    with Publications(name, LOOPBACK) as publications:
        api = SlaveApi(master_uri, tcpros=publications.tcpros)
        with ApiServer(LOOPBACK, api) as server:
            sink = publications.add(topic)
            Master(master_uri, name).publish(topic.name, topic.type, server.uri)
            yield sink
            publications._topics.clear()  # which closes its connections
