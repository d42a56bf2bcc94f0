# SPDX-License-Identifier: Apache-2.0
"""An isolated system with Debian's topic_tools (roscpp) and rospy nodes in it."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from syrupy.assertion import SnapshotAssertion

from support.ros1_system import ROSMASTER, TOPIC_TOOLS, System
from support.waiting import until
from wirecost._middleware import Player, Queue
from wirecost.replay import ros1
from wirecost.replay.middleware import Call, IsolatedSystem, Qos, Service, Topic

pytestmark = pytest.mark.skipif(
    not ROSMASTER.exists(), reason="no ROS 1: apt install python3-rosmaster"
)

STRING = "992ce8a1687cec8c8bd883ec73ca41d1"
SWITCH = Service("/switch", "std_srvs/SetBool", "09fb03525b03e7ea1fd3992bafd87e16")


def string(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode()


def in_topic(name: str = "/in", latched: bool = False) -> Topic:
    qos = Qos(durability="transient_local", depth=1) if latched else Qos()
    return Topic(name, "std_msgs/String", STRING, "string data\n", qos)


def call(request: bytes, reply: bytes, error: str | None = None) -> Call:
    return Call("/switch", "/node", 0, 0, request, reply, error)


@pytest.fixture
def isolated() -> Iterator[IsolatedSystem]:
    with ros1.new_isolated_system() as isolated:
        yield isolated


@pytest.fixture
def system(isolated: IsolatedSystem, tmp_path: Path) -> Iterator[System]:
    """Return the isolated system with the nodes that the test starts in it."""
    environment = isolated.environment() | {"ROS_LOG_DIR": str(tmp_path)}
    system = System(environment, tmp_path)
    try:
        yield system
    finally:
        system.stop()


def test_a_node_hears_what_is_played_and_its_outputs_come_back(
    isolated: IsolatedSystem, system: System
) -> None:
    queue = Queue(1 << 24)
    sink = isolated.publish(in_topic())
    isolated.listen(Topic("/out", "*"), 7, queue)
    assert isolated.waiting_for([in_topic()], []) == ["/in"]
    system.start(TOPIC_TOOLS / "relay", "/in", "/out")
    until(lambda: isolated.waiting_for([in_topic()], []) == [])
    # relay advertises with the first message and may lose what it sends before we are connected.
    sink.send(string("first"))
    until(lambda: isolated.waiting_for([], [Topic("/out", "*")]) == [])
    until(lambda: queue.counts() or sink.send(string("more")))
    # No more at once than relay's queues hold.
    messages = [string(f"message {i}") for i in range(8)]
    player = Player([(i * 1_000_000, 0, message) for i, message in enumerate(messages)], False)
    assert len(player.play([sink], 1.0, 0, 8, 0, None, None)) == 8
    got: list[tuple[int, bytes]] = []

    def all_came() -> bool:
        got.extend(
            (fields[0], fields[-1]) for fields in queue.take(1000, 0.1) if b"message" in fields[-1]
        )
        return len(got) >= 8

    until(all_came)
    assert got == [(7, message) for message in messages]


def test_a_latched_input_reaches_a_node_that_starts_later(
    isolated: IsolatedSystem, system: System
) -> None:
    isolated.publish(in_topic(latched=True)).send(string("kept"))
    system.rospy(
        "import rospy; from std_msgs.msg import String; rospy.init_node('late');"
        "print(rospy.wait_for_message('/in', String).data, 'came')"
    )
    until(lambda: "kept came" in system.output())


PARAMETERS = """
import rospy
rospy.init_node("reader")
print(rospy.get_param("/a/b"), rospy.get_param("a"), rospy.get_param("~own"), flush=True)
print(rospy.has_param("/none"), rospy.get_param("/none", "default"), rospy.search_param("top"))
rospy.set_param("~made/here", [1, "x"]); print(rospy.get_param("/reader/made"))
print(rospy.get_param_cached("/a/b")); rospy.delete_param("/a"); print(rospy.has_param("/a/b"))
print(sorted(rospy.get_param_names()), "done")
"""


def test_parameters_are_set_before_and_served(
    isolated: IsolatedSystem, system: System, snapshot: SnapshotAssertion
) -> None:
    isolated.prepare("/reader", {"/a/b": 1, "/a/c": [True, 2.5], "/reader/own": "é", "/top": 3})
    system.rospy(PARAMETERS)
    until(lambda: "done" in system.output())
    assert system.output() == snapshot


def test_simulated_time_runs_as_played(isolated: IsolatedSystem, system: System) -> None:
    isolated.prepare("/sleeper", {"/use_sim_time": True})
    clock = Topic("/clock", "rosgraph_msgs/Clock", "a9c97c1d230cfc112e270351a944ee47", "")
    sink = isolated.publish(clock)
    system.rospy(
        "import rospy; from rosgraph_msgs.msg import Clock; rospy.init_node('sleeper');"
        "start = rospy.wait_for_message('/clock', Clock).clock.to_sec(); rospy.sleep(100);"
        "end = rospy.get_time(); print('slept', int((end - start) // 10 * 10), 'until', int(end))"
    )
    until(lambda: isolated.waiting_for([clock], []) == [])
    seconds = itertools.count(1000, 10)
    until(lambda: sink.send(struct.pack("<II", next(seconds), 0)) or system.output())
    before = next(seconds)
    words = system.output().split()
    # A busy machine may wake the sleeper a few messages later.
    assert int(words[1]) >= 100
    assert 1100 <= int(words[3]) < before


ASKS = """
import rospy
from std_srvs.srv import SetBool
rospy.init_node("asks")
kept = rospy.ServiceProxy("/switch", SetBool, persistent=True)
print([rospy.ServiceProxy("/switch", SetBool)(True).message for _ in range(2)])
print([kept(True).message for _ in range(2)])
for proxy in (rospy.ServiceProxy("/switch", SetBool), rospy.ServiceProxy("/other", SetBool)):
    try:
        proxy(False)
    except rospy.ServiceException as error:
        print(error)
print("done")
"""


def reply(text: str) -> bytes:
    return b"\x01" + string(text)


def test_calls_are_answered_as_recorded(
    isolated: IsolatedSystem, system: System, snapshot: SnapshotAssertion
) -> None:
    isolated.answer(
        SWITCH,
        [call(b"\x01", reply("1st")), call(b"\x00", b"", "will not"), call(b"\x01", reply("2nd"))],
    )
    isolated.answer(Service("/other", SWITCH.type, SWITCH.type_hash), [])
    system.rospy(ASKS)
    until(lambda: "done" in system.output())
    assert system.output() == snapshot
    assert isolated.unmatched() == snapshot
    assert isolated.unmatched() == []


def test_services_of_the_node_are_called(isolated: IsolatedSystem, system: System) -> None:
    system.rospy(
        "import rospy; from std_srvs.srv import SetBool, SetBoolResponse; rospy.init_node('node');"
        "rospy.Service('/switch', SetBool,"
        " lambda r: SetBoolResponse(r.data, 'ok') if r.data else 1 / 0); rospy.spin()"
    )
    until(lambda: isolated.call(SWITCH, b"\x01").error is None)
    good = isolated.call(SWITCH, b"\x01")
    assert (good.reply, good.error) == (reply("ok"), None)
    assert good.reply_ns > good.request_ns
    bad = isolated.call(SWITCH, b"\x00")
    assert bad.error is not None
    assert "division by zero" in bad.error
    missing = isolated.call(Service("/none", "a/B"), b"")
    assert "/none" in missing.error


def test_a_node_that_wants_another_type_is_refused_and_told(
    isolated: IsolatedSystem, system: System
) -> None:
    isolated.publish(in_topic())
    system.rospy(
        "import rospy; from std_msgs.msg import Int32; rospy.init_node('other');"
        "rospy.Subscriber('/in', Int32, print); rospy.spin()"
    )
    (line,) = set(until(isolated.unmatched))
    assert line.startswith("/in: recorded as")
    assert isolated.waiting_for([in_topic()], []) == ["/in"]


def test_what_the_isolated_system_plays_is_no_output_of_the_node(
    isolated: IsolatedSystem, system: System
) -> None:
    queue = Queue(1 << 20)
    sink = isolated.publish(in_topic("/both"))
    isolated.listen(Topic("/both", "*"), 0, queue)
    system.rospy(
        "import rospy; from std_msgs.msg import String; rospy.init_node('node');"
        "p = rospy.Publisher('/both', String, queue_size=10);"
        "rospy.Subscriber('/both', String, lambda m: p.publish('own') if m.data == 'go' else None);"
        "rospy.spin()"
    )
    until(lambda: isolated.waiting_for([in_topic("/both")], [in_topic("/both")]) == [])
    sink.send(string("go"))
    assert [message for *_, message in until(lambda: queue.take(10, 1.0))] == [string("own")]


def test_an_isolated_system_listens_on_loopback_only_and_leaves_nothing() -> None:
    before = psutil.Process().net_connections()
    threads = psutil.Process().num_threads()
    with ros1.new_isolated_system() as isolated:
        isolated.publish(in_topic())
        new = [link for link in psutil.Process().net_connections() if link not in before]
        assert new
        assert {link.laddr.ip for link in new} == {"127.0.0.1"}
    after = psutil.Process().net_connections()
    assert [link for link in after if link.status == "LISTEN" and link not in before] == []
    until(lambda: psutil.Process().num_threads() <= threads)


def test_large_messages_at_lidar_rate_reach_the_node(
    isolated: IsolatedSystem, system: System
) -> None:
    topic = Topic("/image", "std_msgs/UInt8MultiArray", "82373f1612381bb6ee473b5cd6f5d89c", "")
    sink = isolated.publish(topic)
    system.rospy(
        "import rospy; from std_msgs.msg import UInt8MultiArray; rospy.init_node('camera_reader');"
        "rospy.Subscriber('/image', UInt8MultiArray, lambda m: print(len(m.data), m.data[-1]));"
        "rospy.spin()"
    )
    until(lambda: isolated.waiting_for([topic], []) == [])
    head = struct.pack("<III", 0, 0, 4_000_000)
    messages = [(i * 50_000_000, 0, head + bytes([i]) * 4_000_000) for i in range(20)]
    Player(messages, True).play([sink], 1.0, 0, 20, 100_000, None, None)
    expected = [f"4000000 {i}" for i in range(20)]
    until(lambda: len(system.output().splitlines()) >= 20)
    assert system.output().splitlines() == expected
