# SPDX-License-Identifier: Apache-2.0
"""A node on Cyclone DDS alone in an isolated system."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support import dds_peers as peers
from support.waiting import until
from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.data.messages.cdr_values import Writer
from wirecost.replay.dds import names
from wirecost.replay.dds.isolated_system import DdsIsolatedSystem
from wirecost.replay.dds.recorder import DdsRecorder
from wirecost.replay.middleware import Call, Qos, Service, Topic
from wirecost.replay.play.idle import Activity
from wirecost.system.waiting import wait_until

CLOUD = "sensor_msgs/msg/PointCloud2"
POINTS = Topic("/points", CLOUD, peers.POINTS_HASH)
FILTERED = Topic("/filtered", CLOUD, peers.POINTS_HASH)
TRANSFORMS = Topic(
    "/tf_static", "tf2_msgs/msg/TFMessage", qos=Qos(durability="transient_local", depth=1)
)
LOOKUP = Service("/lookup", "std_srvs/srv/Trigger")
ENABLE = Service("/points_filter/enable", "std_srvs/srv/SetBool")
# As Cyclone writes it: one byte and three of padding, as the header states.
REQUEST = b"\0\1\0\3" + bytes(4)


def reply(text: str) -> bytes:
    writer = Writer()
    writer.scalar("B", 1)
    writer.string(text)
    return writer.message()


def connected(isolated: DdsIsolatedSystem) -> bool:
    return wait_until(lambda: not isolated.waiting_for([POINTS], [FILTERED]), 20)


def test_a_node_gets_its_inputs_and_its_outputs_are_received() -> None:
    queue = Queue(64 << 20)
    with DdsIsolatedSystem() as isolated:
        points, transforms = isolated.publish(POINTS), isolated.publish(TRANSFORMS)
        isolated.listen(FILTERED, 3, queue)
        transforms.send(b"\0\1\0\0" + bytes(4))
        with peers.running([peers.FILTER], isolated.environment()) as node:
            assert isolated.waiting_for([POINTS], [FILTERED])
            assert connected(isolated)
            peers.send(points, 40, 100)
            got = peers.take(queue, 40)
            printed = peers.end(node)
    assert [(message[0], peers.stamp(message[-1])) for message in got] == [
        (3, n) for n in range(40)
    ]
    assert "points 40 tf_static" in printed


def test_calls_of_the_node_are_answered_from_the_recording() -> None:
    recorded = [
        Call("/lookup", "/points_filter", 0, 0, REQUEST, reply(text)) for text in ("one", "two")
    ]
    with DdsIsolatedSystem() as isolated:
        points = isolated.publish(POINTS)
        isolated.listen(FILTERED, 0, Queue(1 << 20))
        isolated.answer(LOOKUP, recorded)
        with peers.running([peers.FILTER], isolated.environment()) as node:
            assert connected(isolated)
            peers.send(points, 30, 10)
            time.sleep(0.5)
            printed = peers.end(node)
        assert isolated.unmatched() == []
    assert [line for line in printed.splitlines() if line.startswith("lookup")] == [
        "lookup 1: one",
        "lookup 2: two",
        "lookup 3: two",
    ]


def test_requests_without_a_recorded_reply_are_told() -> None:
    with DdsIsolatedSystem() as isolated:
        points = isolated.publish(POINTS)
        isolated.listen(FILTERED, 0, Queue(1 << 20))
        isolated.answer(LOOKUP, [])
        with peers.running([peers.FILTER], isolated.environment()):
            assert connected(isolated)
            points.send(peers.cloud(0, 10))
            until(lambda: bool(isolated.unmatched()))
        assert isolated.unmatched() == ["/lookup: 1 × a request of 8 bytes has no recorded reply"]


def test_services_of_the_node_are_called() -> None:
    queue = Queue(1 << 20)
    with DdsIsolatedSystem() as isolated:
        points = isolated.publish(POINTS)
        isolated.listen(FILTERED, 0, queue)
        isolated.answer(LOOKUP, [])
        with peers.running([peers.FILTER], isolated.environment()):
            call = isolated.call(ENABLE, b"\0\1\0\3" + bytes(4))
            assert call.error is None
            assert call.service == ENABLE.name
            assert call.request_ns < call.reply_ns
            assert b"done\0" in call.reply
            assert connected(isolated)
            points.send(peers.cloud(0, 10))
            # The first cloud makes the node call: by then it is taken, and not passed on.
            until(lambda: bool(isolated.unmatched()))
            isolated.call(ENABLE, b"\0\1\0\3\1" + bytes(3))
            points.send(peers.cloud(1, 10))
            assert [peers.stamp(message[-1]) for message in peers.take(queue, 1)] == [1]


def test_parameters_set_at_run_time_are_set_again(snapshot: SnapshotAssertion) -> None:
    recorded = {"frame": "map", "rate": 2.0, "rings": [4, 5], "use_sim_time": True}
    with DdsIsolatedSystem() as isolated:
        isolated.prepare("/test/robot", recorded)
        isolated.listen(POINTS, 0, Queue(64 << 20))
        domain = int(isolated.environment()["ROS_DOMAIN_ID"])
        with peers.running(peers.robot(), isolated.environment()):
            until(lambda: not isolated.waiting_for([], [POINTS]), seconds=20)
            with DdsRecorder(domain) as recorder:
                found = recorder.parameters("/test/robot")
        assert found == recorded | {"frame": "lidar"}
        assert isolated.unmatched() == snapshot


def test_a_node_without_parameter_services_is_told() -> None:
    with DdsIsolatedSystem() as isolated:
        isolated.prepare("/points_filter", {"rate": 2.0})
        isolated.publish(POINTS)
        with peers.running([peers.FILTER], isolated.environment()):
            until(lambda: not isolated.waiting_for([POINTS], []), seconds=20)
        (unmatched,) = isolated.unmatched()
    assert unmatched.startswith("/points_filter: has no")


def test_large_messages_are_not_lost() -> None:
    """8 MB at 10 Hz, in and out."""
    count, points = 20, 500_000
    queue = Queue(1 << 30)
    with DdsIsolatedSystem() as isolated:
        sink = isolated.publish(POINTS)
        isolated.listen(FILTERED, 0, queue)
        with peers.running([peers.FILTER, "--whole"], isolated.environment()):
            assert connected(isolated)
            peers.send(sink, count, points, 0.1)
            got = peers.take(queue, count)
    assert [peers.stamp(message[-1]) for message in got] == list(range(count))
    for *_, message in got:
        # Without the header, where Cyclone states its padding, and that padding.
        sent = peers.cloud(peers.stamp(message), points)
        assert message[4 : len(sent)] == sent[4:]


BUFFER = int(Path("/proc/sys/net/core/rmem_max").read_text())


@pytest.mark.skipif(BUFFER < 4 << 20, reason="needs net.core.rmem_max of 4 MiB or more")
def test_large_best_effort_messages_fit_into_the_sockets() -> None:
    """5 MB in one burst, in and out; the next one once that is back."""
    count, points = 10, 312_500
    lossy = Qos(reliability="best_effort")
    clouds, filtered = Topic("/points", CLOUD, qos=lossy), Topic("/filtered", CLOUD, qos=lossy)
    queue = Queue(1 << 30)
    with DdsIsolatedSystem() as isolated:
        sink = isolated.publish(clouds)
        isolated.listen(filtered, 0, queue)
        with peers.running([peers.FILTER, "--whole", "--lossy"], isolated.environment()) as node:
            until(lambda: not isolated.waiting_for([clouds], [filtered]), seconds=20)
            assert Activity(node.pid).wait_idle(20)
            for number in range(count):
                sink.send(peers.cloud(number, points))
                assert [peers.stamp(each[-1]) for each in peers.take(queue, 1, 20)] == [number]


def test_what_the_isolated_system_publishes_itself_is_not_recorded() -> None:
    queue = Queue(1 << 20)
    with DdsIsolatedSystem() as isolated:
        sink = isolated.publish(FILTERED)
        isolated.listen(FILTERED, 0, queue)
        points = isolated.publish(POINTS)
        with peers.running([peers.FILTER], isolated.environment()):
            assert connected(isolated)
            sink.send(peers.cloud(7, 10))
            points.send(peers.cloud(1, 10))
            assert [peers.stamp(message[-1]) for message in peers.take(queue, 2, 2)] == [1]


def test_two_isolated_systems_are_strangers() -> None:
    with DdsIsolatedSystem() as one, DdsIsolatedSystem() as other:
        assert one.environment()["ROS_DOMAIN_ID"] != other.environment()["ROS_DOMAIN_ID"]


def sockets(pid: int) -> dict[str, str]:
    """Inodes and local addresses of a process's UDP sockets, as /proc writes them."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[len("socket:[") : -1])
    rows = [line.split() for line in Path("/proc/net/udp").read_text().splitlines()[1:]]
    rows += [line.split() for line in Path("/proc/net/udp6").read_text().splitlines()[1:]]
    return {row[9]: row[1].partition(":")[0] for row in rows if row[9] in inodes}


def test_only_loopback_is_spoken_on_and_nothing_is_left() -> None:
    threads = threading.active_count()
    before = sockets(os.getpid())  # of other tests, whose libraries keep some to the end
    with DdsIsolatedSystem() as isolated:
        isolated.publish(POINTS)
        isolated.answer(LOOKUP, [])
        opened = {a for inode, a in sockets(os.getpid()).items() if inode not in before}
        # 127.0.0.1 and the group 239.255.0.1, which is joined on loopback.
        assert opened == {"0100007F", "0100FFEF"}
    assert sockets(os.getpid()).keys() <= before.keys()
    assert threading.active_count() == threads


def test_a_closed_sink_drops(closed_sink: _dds.Writer) -> None:
    before = closed_sink.dropped
    closed_sink.send(peers.cloud(0, 1))
    assert closed_sink.dropped == before + 1
    assert closed_sink.readers() == 0


@pytest.fixture
def closed_sink() -> _dds.Writer:
    with DdsIsolatedSystem() as isolated:
        return isolated.publish(POINTS)


def test_hostile_announcements_change_nothing() -> None:
    """Nodes are found as before, whatever stands on the discovery topic."""
    with DdsIsolatedSystem() as isolated:
        environment = isolated.environment()
        domain = int(environment["ROS_DOMAIN_ID"])
        liar = _dds.Participant(domain, "liar", b"\xff\xfe", ["127.0.0.1"])
        kept = _dds.Qos(reliable=True, transient_local=True, depth=100)
        writer = _dds.Writer(liar, names.DISCOVERY_TOPIC, names.DISCOVERY_TYPE, kept, b"\xff")
        for length in (0, 3, 16, 20, 60, 1000):
            for octet in (0, 1, 0xFF):
                writer.send(b"\0\1\0\0" + bytes([octet]) * length)
        with (
            peers.running([peers.FILTER], environment),
            DdsRecorder(domain) as recorder,
        ):
            until(lambda: "/points_filter" in recorder.nodes())
            assert set(recorder.nodes()) == {"/liar", "/points_filter"}
