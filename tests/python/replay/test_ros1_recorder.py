# SPDX-License-Identifier: Apache-2.0
"""Recording in a system of Debian's master, rospy nodes and topic_tools (roscpp)."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.ros1_system import ROSMASTER, TOPIC_TOOLS, System, ros_system
from support.waiting import until
from wirecost._middleware import Queue
from wirecost.replay import ros1
from wirecost.replay.middleware import Call, Publishers, Topic
from wirecost.system.errors import UserError
from wirecost.system.ports import free_port

pytestmark = pytest.mark.skipif(
    not ROSMASTER.exists(), reason="no ROS 1: apt install python3-rosmaster"
)

STRING_MD5 = "992ce8a1687cec8c8bd883ec73ca41d1"

TALKER = """
import sys, rospy
from std_msgs.msg import String
rospy.init_node("talker")
topic = rospy.Publisher(sys.argv[1], String, queue_size=1000)
latched = rospy.Publisher("/latched", String, queue_size=1, latch=True)
latched.publish("kept")
rate, count = rospy.Rate(50), 0
while not rospy.is_shutdown():
    topic.publish(f"{count}")
    count += 1
    rate.sleep()
"""
PROVIDER = """
import rospy
from std_srvs.srv import SetBool, SetBoolResponse
rospy.init_node("provider")
def answer(request):
    if not request.data:
        raise rospy.ServiceException("will not")
    return SetBoolResponse(True, "on")
rospy.Service("/switch", SetBool, answer)
rospy.spin()
"""
CALLER = """
import sys, rospy
from std_srvs.srv import SetBool
rospy.init_node("caller")
rospy.wait_for_service("/switch")
kept = rospy.ServiceProxy("/switch", SetBool, persistent=True)
while not rospy.is_shutdown():
    print("once", rospy.ServiceProxy("/switch", SetBool)(True).message)
    print("kept", kept(True).message)
    try:
        rospy.ServiceProxy("/switch", SetBool)(False)
    except rospy.ServiceException as error:
        print("refused", error)
    rospy.sleep(0.1)
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    with ros_system(tmp_path) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running


def text(message: bytes) -> str:
    (length,) = struct.unpack_from("<I", message)
    assert length == len(message) - 4
    return message[4:].decode()


def take(queue: Queue, count: int) -> list[tuple[int, bytes]]:
    got: list[tuple[int, bytes]] = []

    def enough() -> bool:
        got.extend((channel, message) for channel, *_, message in queue.take(1000, 0.1))
        return len(got) >= count

    until(enough, f"{count} messages")
    return got


def provided(system: System) -> bool:
    return "/switch" in {name for name, _ in system.call("getSystemState")[2]}


def test_a_node_is_found_with_its_topics_services_and_process(system: System) -> None:
    system.rospy(TALKER, "/in")
    relay = system.start(TOPIC_TOOLS / "relay", "/in", "/out", "__name:=relay")
    system.rospy(PROVIDER)
    until(lambda: {"/relay", "/talker"} <= system.names() and provided(system))
    with ros1.new_recorder(None) as recorder:
        assert {"/relay", "/talker", "/provider"} <= set(recorder.nodes())
        until(lambda: "/out" in {topic.name for topic in recorder.graph("relay").published})
        queue = Queue(1 << 24)
        graph = recorder.graph("/relay")
        assert [topic.name for topic in graph.subscribed] == ["/in"]
        recorder.listen(graph.subscribed[0], 0, queue)
        take(queue, 1)
        graph = recorder.graph("/relay")
        assert graph.subscribed == [Topic("/in", "std_msgs/String", STRING_MD5, "string data\n")]
        assert graph.pid == relay.pid
        assert [service.name for service in graph.provides] == [
            "/relay/get_loggers",
            "/relay/set_logger_level",
        ]
        (switch,) = graph.calls
        assert (switch.name, switch.type) == ("/switch", "std_srvs/SetBool")
        assert recorder.notes() == []
    assert not [name for name in system.names() if "wirecost" in name]


def test_all_messages_come_in_order_and_latched_ones_first(system: System) -> None:
    system.rospy(TALKER, "/in")
    until(lambda: "/talker" in system.names())
    with ros1.new_recorder(None) as recorder:
        queue = Queue(1 << 24)
        recorder.listen(Topic("/in", "*"), 0, queue)
        recorder.listen(Topic("/latched", "*"), 1, queue)
        got = take(queue, 60)
        numbers = [int(text(message)) for channel, message in got if channel == 0]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert [text(message) for channel, message in got if channel == 1] == ["kept"]
        (latched,) = (t for t in recorder.graph("talker").published if t.name == "/latched")
        assert latched.qos.durability == "transient_local"


def test_publishers_that_come_later_and_come_back_are_followed(system: System) -> None:
    with ros1.new_recorder(None) as recorder:
        queue = Queue(1 << 24)
        recorder.listen(Topic("/in", "*"), 0, queue)
        for _ in range(2):
            talker = system.rospy(TALKER, "/in")
            take(queue, 5)
            os.killpg(talker.pid, signal.SIGKILL)
            talker.wait()


def test_a_topic_that_a_node_hears_and_speaks_on_is_told_apart(system: System) -> None:
    both = TALKER.replace('"talker"', '"both"').replace(
        "rate, count", 'rospy.Subscriber("/in", String, print)\nrate, count'
    )
    system.rospy(TALKER, "/in")
    system.rospy(both.replace('f"{count}"', '"own"'), "/in")
    until(lambda: {"/talker", "/both"} <= system.names())
    with ros1.new_recorder(None) as recorder:
        queue = Queue(1 << 24)
        topic = Topic("/in", "*")
        recorder.listen(topic, 0, queue, Publishers(without="/both"))
        recorder.listen(topic, 1, queue, Publishers(only="/both"))
        received: dict[int, set[bool]] = {}

        def both_came() -> bool:
            for channel, *_, message in queue.take(1000, 0.1):
                received.setdefault(channel, set()).add(text(message) == "own")
            return len(received) == 2

        until(both_came)
        assert received == {0: {False}, 1: {True}}


def test_parameters_are_recorded_by_full_names(system: System) -> None:
    tree = {"a": {"b": 1, "c": [1.5, True]}, "use_sim_time": False, "text": "é"}
    system.call("setParam", "/demo", tree)
    with ros1.new_recorder(None) as recorder:
        parameters = recorder.parameters("/any")
    own = {name: value for name, value in parameters.items() if name.startswith("/demo")}
    assert own == {
        "/demo/a/b": 1,
        "/demo/a/c": [1.5, True],
        "/demo/use_sim_time": False,
        "/demo/text": "é",
    }


def test_calls_are_seen_and_places_given_back(system: System) -> None:
    system.rospy(PROVIDER)
    until(lambda: provided(system))
    before = system.call("lookupService", "/switch")
    with ros1.new_recorder(None) as recorder:
        recorder.watch_services(recorder.graph("/provider"))
        assert system.call("lookupService", "/switch") != before
        graph = recorder.graph("/provider")
        assert "/switch" in {service.name for service in graph.provides}
        system.rospy(CALLER)
        calls: list[Call] = []

        def seen() -> bool:
            calls.extend(recorder.calls())
            return len(calls) >= 6

        until(seen)
        assert {call.caller for call in calls} == {"/caller"}
        assert all(call.request_ns < call.reply_ns for call in calls)
        good = {call.reply for call in calls if call.request == b"\x01"}
        assert good == {b"\x01\x02\x00\x00\x00on"}
        bad = {call.error for call in calls if call.request == b"\x00"}
        (text,) = bad
    assert text.endswith(": will not")
    assert system.call("lookupService", "/switch") == before
    # Who had a connection through us keeps it.
    earlier = system.output().count("kept on")
    until(lambda: system.output().count("kept on") > earlier + 3)
    assert "Traceback" not in system.output()


def test_a_node_is_seen_calling_others(system: System) -> None:
    system.rospy(PROVIDER)
    system.rospy(CALLER)
    until(lambda: provided(system) and "/caller" in system.names())
    until(lambda: "once on" in system.output())
    with ros1.new_recorder(None) as recorder:
        recorder.watch_services(recorder.graph("/caller"))
        call = until(recorder.calls)[0]
        assert (call.service, call.caller) == ("/switch", "/caller")


RECORDER = """
import sys, time
from wirecost._middleware import Queue
from wirecost.replay import ros1
with ros1.new_recorder(None) as recorder:
    graph = recorder.graph("/provider")
    recorder.watch_services(graph)
    for channel, topic in enumerate(graph.published):
        recorder.listen(topic, channel, Queue(1000000))
    print("ready", flush=True)
    time.sleep(100)
"""


def test_a_killed_recorder_leaves_the_system_as_it_was(system: System) -> None:
    system.rospy(PROVIDER)
    until(lambda: provided(system))
    before = system.call("getSystemState"), system.call("lookupService", "/switch")
    recorder = subprocess.Popen([sys.executable, "-c", RECORDER], stdout=subprocess.PIPE)
    assert recorder.stdout is not None
    assert recorder.stdout.readline() == b"ready\n"
    recorder.stdout.close()
    assert system.call("lookupService", "/switch") != before[1]
    assert system.call("getSystemState") != before[0]
    recorder.kill()
    recorder.wait()

    def state() -> Any:
        return system.call("getSystemState"), system.call("lookupService", "/switch")

    until(lambda: state() == before, "the old state")


def test_a_provider_that_comes_anew_is_followed_and_one_that_left_is_forgotten(
    system: System,
) -> None:
    provider = system.rospy(PROVIDER)
    until(lambda: provided(system))
    with ros1.new_recorder(None) as recorder:
        recorder.watch_services(recorder.graph("/provider"))
        intercepted = system.call("lookupService", "/switch")
        os.killpg(provider.pid, signal.SIGKILL)
        provider.wait()
        until(lambda: not provided(system))
        system.rospy(PROVIDER)
        until(lambda: provided(system))
        until(lambda: system.call("lookupService", "/switch") == intercepted)
        system.rospy(CALLER)
        assert until(recorder.calls)[0].caller == "/caller"


LARGE = """
import rospy
from std_msgs.msg import UInt8MultiArray
rospy.init_node("camera")
topic = rospy.Publisher("/image", UInt8MultiArray, queue_size=100)
while topic.get_num_connections() == 0:
    rospy.sleep(0.01)
rate = rospy.Rate(20)
for i in range(40):
    topic.publish(data=bytes([i]) * 4000000)
    rate.sleep()
rospy.spin()
"""


def test_large_messages_at_lidar_rate_are_not_lost(system: System) -> None:
    system.rospy(LARGE)
    with ros1.new_recorder(None) as recorder:
        queue = Queue(1 << 28)
        recorder.listen(Topic("/image", "*"), 0, queue)
        got = take(queue, 40)
    assert [message[-1] for _, message in got] == list(range(40))
    assert {len(message) for _, message in got} == {4_000_000 + 12}


def test_no_master_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("ROS_MASTER_URI", uri)
    with pytest.raises(UserError, match=rf"ROS_MASTER_URI is {uri}: .*; start roscore or set"):
        ros1.new_recorder(None).__enter__()
    monkeypatch.setenv("ROS_MASTER_URI", "nonsense")
    with pytest.raises(UserError, match="'nonsense' is not http://host:port"):
        ros1.new_recorder(None).__enter__()


def test_an_unknown_node_is_told_with_its_neighbours(system: System) -> None:
    system.start(TOPIC_TOOLS / "relay", "/in", "/out", "__name:=relay")
    until(lambda: "/relay" in system.names())
    with (
        ros1.new_recorder(None) as recorder,
        pytest.raises(UserError, match=r"/rely: no .* /relay"),
    ):
        recorder.graph("rely")
