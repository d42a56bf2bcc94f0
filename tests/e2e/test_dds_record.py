# SPDX-License-Identifier: Apache-2.0
"""Listening to nodes on Cyclone DDS, an implementation that shares nothing with ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import dds_peers as peers
from support.programs import execute
from support.waiting import until
from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.replay.dds import entities, names, qos
from wirecost.replay.dds.domain import LOOPBACK, FreeDomain, environment
from wirecost.replay.dds.recorder import DdsRecorder
from wirecost.replay.middleware import Publishers, Qos, Service, Topic
from wirecost.system.errors import UserError

FILTER_SERVICE = Service("/points_filter/enable", "std_srvs/srv/SetBool")
LOOKUP = Service("/lookup", "std_srvs/srv/Trigger")


@pytest.fixture
def domain() -> Iterator[int]:
    with FreeDomain() as free:
        yield free.number


def test_a_node_is_found_with_all_that_it_is_joined_to(domain: int) -> None:
    with (
        peers.running(peers.robot(), environment(domain)),
        peers.running([peers.FILTER], environment(domain)) as node,
        DdsRecorder(domain) as recorder,
    ):
        assert recorder.nodes() == ["/points_filter", "/test/robot"]
        graph = recorder.graph("points_filter")
        assert (graph.name, graph.pid) == ("/points_filter", node.pid)
        assert [(topic.name, topic.type) for topic in graph.subscribed] == [
            ("/clock", "rosgraph_msgs/msg/Clock"),
            ("/points", "sensor_msgs/msg/PointCloud2"),
            ("/tf_static", "tf2_msgs/msg/TFMessage"),
        ]
        clock, points, transforms = (topic.qos for topic in graph.subscribed)
        assert clock == Qos(reliability="best_effort")
        assert points == Qos()
        assert transforms == Qos(durability="transient_local", depth=None)
        (filtered,) = graph.published
        assert (filtered.name, filtered.type_hash) == ("/filtered", peers.POINTS_HASH)
        assert filtered.definition.startswith("std_msgs/Header header\n")
        assert graph.provides == [FILTER_SERVICE]
        assert graph.calls == [LOOKUP]
        assert any("its DDS announces" in note for note in recorder.notes())


def test_everything_arrives_with_what_was_kept_from_before(domain: int) -> None:
    queue = Queue(64 << 20)
    with (
        peers.running(peers.robot("--rate", "20"), environment(domain)),
        peers.running([peers.FILTER], environment(domain)),
        DdsRecorder(domain) as recorder,
    ):
        graph = recorder.graph("/points_filter")
        for channel, topic in enumerate((*graph.subscribed, *graph.published)):
            recorder.listen(topic, channel, queue)
        got = peers.take(queue, 60)
    by_channel = {
        channel: [message for message in got if message[0] == channel] for channel in range(4)
    }
    assert len(by_channel[2]) == 1
    for channel in (0, 1, 3):
        numbers = [peers.stamp(message[-1]) for message in by_channel[channel]]
        assert len(numbers) > 5
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    for _, received_ns, _, source_ns, *_ in got:
        assert 0 < received_ns - source_ns < 60e9
    assert len(by_channel[1][0][-1]) - len(by_channel[3][0][-1]) == 50 * peers.POINT_BYTES


def test_publishers_that_come_later_are_followed(domain: int) -> None:
    queue = Queue(64 << 20)
    with (
        peers.running([peers.FILTER], environment(domain)),
        DdsRecorder(domain) as recorder,
    ):
        for channel, topic in enumerate(recorder.graph("/points_filter").subscribed):
            recorder.listen(topic, channel, queue)
        with peers.running(peers.robot(), environment(domain)):
            until(lambda: len(queue.counts()) == 3)


def test_calls_are_seen_with_their_replies(domain: int) -> None:
    with (
        peers.running(peers.robot("--rate", "40"), environment(domain)),
        peers.running([peers.FILTER], environment(domain)),
        DdsRecorder(domain) as recorder,
    ):
        recorder.watch_services(recorder.graph("/points_filter"))
        calls = []
        until(lambda: calls.extend(recorder.calls()) or len(calls) >= 3)
    for call in calls:
        assert (call.service, call.caller, call.error) == ("/lookup", "/points_filter", None)
        assert call.request[:4] == b"\0\1\0\3"
        assert b"answer " in call.reply
        assert call.request_ns < call.reply_ns
    assert len({call.reply for call in calls}) == len(calls)


def test_parameters_are_asked_for(domain: int) -> None:
    with peers.running(peers.robot(), environment(domain)), DdsRecorder(domain) as recorder:
        assert recorder.parameters("/test/robot") == {
            "frame": "lidar",
            "rate": 12.5,
            "rings": [1, 2, 3],
            "use_sim_time": True,
        }


def test_a_program_that_is_not_of_ros_goes_by_its_process(domain: int) -> None:
    with (
        peers.running([peers.FILTER, "--silent"], environment(domain)) as node,
        DdsRecorder(domain) as recorder,
    ):
        until(lambda: len(recorder.graph("/points_filter").subscribed) == 3)
        assert recorder.graph("/points_filter").pid == node.pid
        assert recorder.parameters("/points_filter") == {}


def test_a_wrong_name_is_told_with_the_nearest(domain: int) -> None:
    with (
        peers.running([peers.FILTER], environment(domain)),
        DdsRecorder(domain) as recorder,
        pytest.raises(UserError, match=r"no node /point_filter .* names are /points_filter$"),
    ):
        recorder.graph("point_filter")


def test_an_empty_domain_is_told_with_what_to_set(domain: int) -> None:
    with (
        DdsRecorder(domain) as recorder,
        pytest.raises(
            UserError, match=rf"no program is in DDS domain {domain} .*; start .* set ROS_DOMAIN_ID"
        ),
    ):
        recorder.graph("/points_filter")


def announce(participant: _dds.Participant, node: str, writers: list[bytes]) -> _dds.Writer:
    announced = entities.ParticipantEntities(
        participant.guid, [entities.NodeEntities(node, [], writers)]
    )
    writer = _dds.Writer(participant, names.DISCOVERY_TOPIC, names.DISCOVERY_TYPE, qos.KEPT, b"")
    writer.send(entities.write(announced))
    return writer


def test_a_node_and_others_on_one_topic_are_told_apart(domain: int) -> None:
    topic = Topic("/tf", "tf2_msgs/msg/TFMessage")
    usual = qos.to_dds(topic.qos)
    kept = []
    writers = {}
    for node in ("/one", "/two"):
        participant = _dds.Participant(domain, node, b"enclave=/;", [LOOPBACK])
        dds = (names.topic_to_dds(topic.name), names.type_to_dds(topic.type))
        writers[node] = _dds.Writer(participant, *dds, usual, b"")
        kept += [participant, announce(participant, node, [writers[node].guid])]
    own, others = Queue(1 << 20), Queue(1 << 20)
    with DdsRecorder(domain) as recorder:
        assert recorder.nodes() == ["/one", "/two"]
        recorder.listen(topic, 1, own, Publishers(only="/one"))
        recorder.listen(topic, 2, others, Publishers(without="/one"))
        until(lambda: all(writer.readers() == 2 for writer in writers.values()))
        until(lambda: _send_both(writers) and own.counts() and others.counts())
        received = {message[-1][4:] for message in own.take(100, 0)}
        assert received == {b"/one"}
        assert {message[-1][4:] for message in others.take(100, 0)} == {b"/two"}


def _send_both(writers: dict[str, _dds.Writer]) -> bool:
    for node, writer in writers.items():
        writer.send(b"\0\1\0\0" + node.encode())
    return all(writer.flush(5) for writer in writers.values())


MULTICAST = """
import sys
sys.path.insert(0, sys.argv[1])
from support import dds_peers as peers
from wirecost.replay.dds.recorder import DdsRecorder
interfaces = '<Interfaces><NetworkInterface name="lo" multicast="true"/></Interfaces>'
uri = f'<CycloneDDS><Domain Id="any"><General>{interfaces}</General></Domain></CycloneDDS>'
with peers.running([peers.FILTER], {"ROS_DOMAIN_ID": "7", "CYCLONEDDS_URI": uri}):
    with DdsRecorder(7) as recorder:
        print(recorder.nodes())
"""


def test_nodes_that_use_multicast_on_loopback_are_found(tmp_path: Path) -> None:
    """Autoware sets up machines so; it needs a network of its own, since this one's stays."""
    own_network = ["unshare", "--map-root-user", "--net", "sh", "-c"]
    set_up = "ip link set lo up multicast on"
    if subprocess.run([*own_network, set_up], capture_output=True, check=False).returncode:
        pytest.skip("this kernel gives no network of one's own")
    script = tmp_path / "multicast.py"
    script.write_text(MULTICAST)
    done = execute(
        [*own_network, f"{set_up} && {sys.executable} {script} {Path(peers.__file__).parents[1]}"]
    )
    assert done.stdout == "['/points_filter']\n", done.stderr
