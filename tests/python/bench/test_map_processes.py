# SPDX-License-Identifier: Apache-2.0
"""The processes of ``bench map``: what they refuse, and that a fault of one is told."""

from __future__ import annotations

import array
import mmap
import os
import socket
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from wirecost.bench import map as bench_map
from wirecost.bench.map_processes.child import Child, ChildFailedError
from wirecost.bench.map_processes.shared_memory import (
    MESSAGE,
    SharedPublisher,
    SharedSubscriber,
    touch,
)
from wirecost.bench.map_race import WAYS, Case, Lane, Processes, run_race
from wirecost.errors import UserError

SIZE = 8_000_000


def quiet(done: int, text: str) -> None:
    del done, text


@pytest.fixture
def others() -> set[psutil.Process]:
    """Children that an earlier test of this process has left, as libraries' helpers are."""
    return set(psutil.Process().children(recursive=True))


def test_a_copied_map_lies_in_every_process_and_a_shared_one_once(
    others: set[psutil.Process],
) -> None:
    lanes, rounds = [Lane(way) for way in WAYS], []
    run_race(Case(SIZE, 2), 2, 1, lanes, quiet, lambda: rounds.append(len(lanes[0].publications)))
    assert rounds == [1, 2]
    assert [lane.failure for lane in lanes] == [None, None]
    assert lanes[0].digest == lanes[1].digest != ""
    instances = {
        lane.way: [one.map_pss_bytes / SIZE for one in lane.publications] for lane in lanes
    }
    assert instances["copied"] == [pytest.approx(3, abs=0.4)] * 2
    assert instances["shared"] == [pytest.approx(1, abs=0.4)] * 2
    for lane in lanes:
        for one in lane.publications:
            assert 0 < one.readable_ns <= one.total_ns
            assert one.total_ns <= one.readable_ns + one.touch_ns
    assert set(psutil.Process().children(recursive=True)) <= others


@pytest.mark.parametrize("way", WAYS)
def test_a_subscriber_that_ends_is_named(way: str, others: set[psutil.Process]) -> None:
    with ExitStack() as stack:
        processes = Processes(way, Case(SIZE, 2), 1, stack)
        processes.load()
        assert processes.publish().map_pss_bytes > 0
        victims = set(psutil.Process().children()) - others
        max(victims, key=lambda one: one.pid).kill()
        with pytest.raises(ChildFailedError, match=f"{way} subscriber 2 was ended by SIGKILL"):
            processes.publish()
    assert set(psutil.Process().children(recursive=True)) <= others


def test_a_map_that_is_not_the_one_sent_is_a_failure() -> None:
    with ExitStack() as stack:
        processes = Processes("copied", Case(SIZE, 1), 1, stack)
        processes.load()
        processes.digest = "another"
        with pytest.raises(ChildFailedError, match=r"subscriber 1 has a map .*, sent was another"):
            processes.publish()


def test_a_process_tells_why_it_ended() -> None:
    child = Child("the publisher", "wirecost.bench.map_processes.publisher", "carried")
    try:
        with pytest.raises(ChildFailedError, match=r"ended with status 1: KeyError: 'carried'"):
            child.hear()
    finally:
        child.end()


def test_nobody_can_write_or_shrink_a_shared_map() -> None:
    publisher = SharedPublisher()
    view = publisher.load(10_000, lambda view: view.__setitem__(slice(0, 3), b"map"))
    assert view.readonly
    subscriber = SharedSubscriber(publisher.address)
    publisher.accept(1)
    publisher.publish()
    received = subscriber.receive()
    assert received.readonly
    assert bytes(received[:4]) == b"map\0"
    assert touch(received) == touch(view) == ord("m")
    memory = [
        int(link.name)
        for link in Path("/proc/self/fd").iterdir()
        if link.is_symlink() and "memfd:wirecost-map" in str(link.readlink())
    ]
    descriptor = memory[0]
    with pytest.raises(PermissionError):
        os.ftruncate(descriptor, 10)
    with pytest.raises(PermissionError):
        mmap.mmap(descriptor, 10_000)
    received.release()
    subscriber.release()


def test_memory_that_could_change_is_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        subscriber = SharedSubscriber(str(tmp_path / "socket"))
        connection, _ = listening.accept()
        unsealed = os.memfd_create("unsealed", os.MFD_ALLOW_SEALING)
        os.ftruncate(unsealed, 4096)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [unsealed]))]
        connection.sendmsg([MESSAGE], ancillary)
        with pytest.raises(ValueError, match="not sealed"):
            subscriber.receive()
        connection.close()
        with pytest.raises(ConnectionError):
            subscriber.receive()
        os.close(unsealed)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (bench_map.Settings(size=10), "--size 1e-05: must lie between"),
        (bench_map.Settings(subscribers=(0,)), "--subscribers 0"),
        (bench_map.Settings(repetitions=0), "--repetitions 0"),
        (bench_map.Settings(size=4_000_000_000, subscribers=(64,)), "choose a smaller map"),
    ],
)
def test_what_cannot_be_run_is_named(settings: bench_map.Settings, told: str) -> None:
    with pytest.raises(UserError, match=told):
        settings.check()
