# SPDX-License-Identifier: Apache-2.0
"""A typed node of ROS's own C++ library, with Debian's master and in an isolated system."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from support.ros1_system import ROSMASTER, System, ros_system
from support.waiting import until
from wirecost._middleware import Queue
from wirecost.replay import ros1
from wirecost.replay.middleware import Call, Qos, Service, Topic

NODE = Path(__file__).parents[3] / "build" / "cmake" / "tests" / "cpp" / "ros1" / "ros1_node"

pytestmark = pytest.mark.skipif(
    not (ROSMASTER.exists() and NODE.exists()),
    reason="no ROS 1: apt install python3-rosmaster libroscpp-dev, then build again",
)

MD5 = "992ce8a1687cec8c8bd883ec73ca41d1"
IN = Topic("/in", "std_msgs/String", MD5, "string data\n")
OUT = Topic("/out", "std_msgs/String", MD5, "string data\n")
STATE = Topic(
    "/state", "std_msgs/String", MD5, "string data\n", Qos(durability="transient_local", depth=1)
)
SWITCH_MD5 = "09fb03525b03e7ea1fd3992bafd87e16"
SWITCH = Service("/switch", "std_srvs/SetBool", SWITCH_MD5)
MODE = Service("/mode", "std_srvs/SetBool", SWITCH_MD5)
ON, OFF = b"\x01", b"\x00"

SURROUNDINGS = """
import rospy
from std_msgs.msg import String
from std_srvs.srv import SetBool, SetBoolResponse
rospy.init_node("surroundings")
rospy.Service("/switch", SetBool, lambda r: SetBoolResponse(True, "on" if r.data else "off"))
rospy.set_param("/mark", "!")
topic = rospy.Publisher("/in", String, queue_size=10)
while not rospy.is_shutdown():
    topic.publish("hey")
    rospy.sleep(0.05)
"""


def string(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode()


def replied(text: str) -> bytes:
    return b"\x01" + string(text)


def test_it_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ros_system(tmp_path) as system:
        for name, value in system.environment.items():
            monkeypatch.setenv(name, value)
        system.rospy(SURROUNDINGS)
        until(lambda: "/switch" in {name for name, _ in system.call("getSystemState")[2]})
        node = system.start(NODE)
        until(lambda: {"/out", "/state"} <= {name for name, _ in system.call("getSystemState")[0]})
        with ros1.new_recorder(None) as recorder:
            queue = Queue(1 << 24)
            for channel, topic in enumerate(("/in", "/out", "/state")):
                recorder.listen(Topic(topic, "*"), channel, queue)
            recorder.watch_services(recorder.graph("/shouter"))
            received: dict[int, set[bytes]] = {}
            calls: list[Call] = []

            def all_came() -> bool:
                for channel, *_, message in queue.take(100, 0.1):
                    received.setdefault(channel, set()).add(message)
                calls.extend(recorder.calls())
                return len(received) == 3 and len(calls) > 2

            until(all_came)
            graph = recorder.graph("/shouter")
            assert graph.pid == node.pid
            assert graph.subscribed == [IN]
            assert [topic for topic in graph.published if topic.name != "/rosout"] == [OUT, STATE]
            assert SWITCH in graph.calls
            assert MODE in graph.provides
        assert received == {0: {string("hey")}, 1: {string("hey! on off")}, 2: {string("ready")}}
        # Its persistent connection stood before we came and goes past us; the other does not.
        assert {(call.caller, call.request, call.reply) for call in calls} == {
            ("/shouter", ON, replied("on"))
        }
        assert not [name for name in system.names() if "wirecost" in name]


def test_it_is_replayed(tmp_path: Path) -> None:
    with ros1.new_isolated_system() as isolated:
        system = System(isolated.environment() | {"ROS_LOG_DIR": str(tmp_path)}, tmp_path)
        queue = Queue(1 << 24)
        isolated.prepare("/shouter", {"/mark": "?"})
        sink = isolated.publish(IN)
        isolated.listen(OUT, 0, queue)
        isolated.listen(STATE, 1, queue)
        answers = [(ON, "1st"), (OFF, "none"), (ON, "2nd")]
        isolated.answer(
            SWITCH, [Call("/switch", "/shouter", 0, 0, ask, replied(t)) for ask, t in answers]
        )
        try:
            system.start(NODE)
            until(lambda: isolated.waiting_for([IN], [OUT, STATE]) == [])
            for text in ("a", "b", "c"):
                sink.send(string(text))
            got: list[tuple[int, bytes]] = []

            def all_came() -> bool:
                got.extend((channel, message) for channel, *_, message in queue.take(100, 0.1))
                return len(got) == 4

            until(all_came)
            assert [message for channel, message in got if channel == 1] == [string("ready")]
            assert [message for channel, message in got if channel == 0] == [
                string("a? 1st none"),
                string("b? 2nd none"),
                string("c? 2nd none"),
            ]
            called = isolated.call(MODE, ON)
            assert (called.reply, called.error) == (replied("mode on"), None)
            # Subscribed through the master: the master must notify the node of a change.
            isolated.prepare("/shouter", {"/mark": "."})

            def is_changed() -> bool:
                sink.send(string("d"))
                return string("d. 2nd none") in {fields[-1] for fields in queue.take(100, 0.1)}

            until(is_changed)
            assert isolated.unmatched() == []
        finally:
            system.stop()
