# SPDX-License-Identifier: Apache-2.0
"""What two nodes of ROS 1 count says what died between them, and never accuses a healthy one."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from wirecost.measure.lost.live import connections, sock_diag, tcp
from wirecost.measure.lost.live.connections import Connections, End, Look, lost_between

SIZE = 100


def cpp(messages: int, dropped: int | None = None) -> End:
    return End(messages * SIZE, messages, is_rospy=False, dropped=dropped)


def py(messages: int, passed: int | None = None) -> End:
    return End(messages * SIZE if passed is None else passed, messages, is_rospy=True)


def look(sender: End, receiver: End, unread: int | None = 0) -> Look:
    return Look((sender, receiver), (sender, receiver), unread)


def test_what_did_not_arrive_at_empty_sockets_fell_out_of_the_publishers_queue() -> None:
    looks = [look(cpp(5), cpp(5, 0)), *2 * [look(cpp(105), cpp(75, 10))]]
    lost = lost_between(looks, None)
    assert (lost.by_publisher, lost.by_subscriber, lost.taken, lost.late) == (30, 10, 60, 0)
    assert lost.is_exact


def test_bytes_count_messages_of_one_size_alone() -> None:
    looks = [look(py(0), cpp(0, 0)), *2 * [look(py(70, 100 * SIZE), cpp(70, 0))]]
    assert lost_between(looks, SIZE).by_publisher == 30
    for size in (None, SIZE + 1):
        varied = lost_between(looks, size)
        assert varied.by_publisher is None and varied.is_unsized and varied.taken == 70


def test_what_a_rospy_subscriber_did_not_take_fell_out_of_its_queue() -> None:
    looks = [look(py(0), py(0)), *2 * [look(py(100), py(60, 100 * SIZE))]]
    lost = lost_between(looks, SIZE)
    assert (lost.by_publisher, lost.by_subscriber, lost.taken) == (0, 40, 60)


def test_what_waits_is_not_lost() -> None:
    for unread in (7, None):
        looks = [look(cpp(5), cpp(5, 0)), *3 * [look(cpp(105), cpp(75, 0), unread)]]
        lost = lost_between(looks, SIZE)
        assert lost.by_publisher is None and not lost.is_unsized
        assert (lost.by_subscriber, lost.late) == (0, 30)


@pytest.mark.parametrize(("sender", "receiver"), [(cpp, cpp), (py, py), (cpp, py), (py, cpp)])
def test_while_sockets_are_full_what_has_no_room_in_memory_is_lost(
    sender: Callable[..., End], receiver: Callable[..., End]
) -> None:
    taker = {"dropped": 0} if receiver is cpp else {}
    begin = look(sender(0), receiver(0, **taker), 50)
    for memory, died in ((10 * SIZE, 18), (28 * SIZE, None), (None, None)):
        end = Look(*2 * [(sender(100), receiver(70, **taker))], 50, memory)
        lost = lost_between([begin, end], SIZE)
        assert lost.by_publisher == died and not lost.is_exact
        assert lost.is_open == (not died)
        assert lost.late == 30 - (died or 0)
    assert lost_between([begin, replace(end, memory=0)], None).by_publisher is None


def test_an_empty_socket_tells_nothing_of_what_came_long_after_it() -> None:
    empty = [look(cpp(number), cpp(number, 0)) for number in (0, 1, 2)]
    for later, memory, died in ((1.0, 0, 0), (60.0, 0, 28), (60.0, 900 * SIZE, 0)):
        full = Look(*2 * [(cpp(102), cpp(72, 0))], 0 + 50, memory, later)
        lost = lost_between([*empty, full], SIZE)
        assert (lost.by_publisher, lost.late) == (died, 30 - died)
        assert lost.is_open == (later > 5 and not died)
        assert lost.is_exact == (later < 5)


def test_one_look_alone_shows_no_loss() -> None:
    """A thread may not have written yet what its node has counted."""
    healthy = look(cpp(50), cpp(50, 0))
    lost = lost_between([look(cpp(0), cpp(0, 0)), healthy, look(cpp(105), cpp(104, 0))], SIZE)
    assert lost.by_publisher == 0
    busy = Look((cpp(100), cpp(100, 0)), (cpp(102), cpp(102, 0)), 0)
    assert not lost_between([healthy, busy, busy], SIZE).is_exact
    assert lost_between([busy, busy, look(cpp(104), cpp(104, 0))], SIZE).by_publisher == 0


def test_roscpps_bytes_begin_again_behind_the_largest() -> None:
    begin, end = End(2**31 - 50, 1, is_rospy=False), End(50 - 2**31, 3, is_rospy=False)
    for arrived, lost in ((2, 0), (1, 1)):
        looks = [look(begin, py(0)), *2 * [look(end, py(arrived, 50 * arrived))]]
        assert lost_between(looks, 50).by_publisher == lost


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("is_asked", [True, False])
def test_bytes_that_wait_between_two_processes(
    host: str, is_asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one question a socket, or by the tables where the kernel has no answers."""
    here = os.getpid()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as server:
        server.bind((host, 0))
        server.listen()
        with (
            socket.create_connection(server.getsockname()[:2]) as client,
            server.accept()[0] as end,
        ):
            queues = tcp.TcpQueues([here])
            assert queues.between(here, here) == 0
            client.sendall(bytes(1000))
            if is_asked:
                monkeypatch.setattr(tcp, "PROC", Path("/nowhere"))
            else:
                monkeypatch.setattr(sock_diag, "NETLINK_SOCK_DIAG", 99)
            queues.look()
            assert queues.between(here, here) == 1000
            end.recv(900)
            queues.look()
            assert queues.between(here, here) == 100
            assert queues.between(here, None) is queues.between(here, 1) is None


@pytest.mark.parametrize(
    "stats",
    [
        7, [], ["x"], [["x"], 7], [[["/t", [[0, "x", 1, 2, 0]]]], []],
        [[["/t", [[0, 1, 2, [], 0]]]], []], [[["/t", "x", [[0, 1, 2, 1]]]], []],
        [[], [["/t", [[0, 1, 2, None, 0]]]]], [1, "", 3],
        [[["/t", [[0, float("inf"), 2, 3, 0]]]], []], [[["/t", [[0, 1e300, 2, 3, 0]]]], []],
        [[], [["/t", [[0, 1, 10**40, 0, 0]]]]],
    ],
)  # fmt: skip
def test_nodes_that_tell_anything_else_are_left_out(
    stats: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = seen_by({"/a": "http://a"})
    info = [[0, "/b", "o", "TCPROS", "/t", True]]
    monkeypatch.setattr(connections.rpc, "call", lambda *_, **__: info)
    monkeypatch.setattr(connections.rpc, "answer_of", lambda *_, **__: stats)
    assert seen._counted(["/a"]) == {} and seen._uris == {}


def seen_by(uris: dict[str, str]) -> Connections:
    seen = Connections.__new__(Connections)
    seen._uris, seen._peers, seen._looks = uris, {}, {}
    seen._asking = ThreadPoolExecutor(connections.AT_ONCE)
    return seen


def test_nodes_that_never_answer_hold_up_no_others() -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(6)]
        uris = {f"/n{at}": f"http://127.0.0.1:{end.getsockname()[1]}/"
                for at, end in enumerate(silent)}  # fmt: skip
        seen, asked = seen_by(dict(uris)), threading.Barrier(len(silent), timeout=30)
        stack.enter_context(seen._asking)
        told, seen._told = seen._told, lambda node: (asked.wait(), told(node))[1]
        assert seen._counted(list(uris)) == {} and not asked.broken and not seen._uris


def test_connections_whose_nodes_both_began_again_lose_nothing() -> None:
    """Their numbers of connections are the same again, and their counts begin at 0."""
    seen = seen_by({})
    for count, died in ((10, 0), (1000, 7), (1000, 7), (3, 0), (50, 0), (50, 0)):
        seen._note(("/t", "/a", "/b", 0, 0), look(cpp(count), cpp(count - died, 0)))
    found = [lost for *_, lost in seen.lost({})]
    assert [(lost.taken, lost.by_publisher) for lost in found] == [(983, 7), (47, 0)]
