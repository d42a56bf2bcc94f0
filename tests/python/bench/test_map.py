# SPDX-License-Identifier: Apache-2.0
"""The processes of ``bench map``: what they refuse, and that a fault of one is reported."""

from __future__ import annotations

import array
import mmap
import os
import socket
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from wirecost.bench.map import scenario as bench_map
from wirecost.bench.map.processes.shared_memory import (
    MESSAGE,
    SharedPublisher,
    SharedSubscriber,
    touch,
)
from wirecost.bench.map.race import Processes, Work, run_race
from wirecost.bench.map.scenario import CONTENDERS
from wirecost.bench.processes import plan
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case
from wirecost.errors import UserError
from wirecost.records.finished import read_journal
from wirecost.records.journal import Journal

SIZE = 8_000_000


@pytest.fixture
def others() -> set[psutil.Process]:
    """Children that an earlier test of this process has left, as libraries' helpers are."""
    return set(psutil.Process().children(recursive=True))


def test_a_copied_map_lies_in_every_process_and_a_shared_one_once(
    others: set[psutil.Process], tmp_path: Path
) -> None:
    work = Work(SIZE, 2, 1)
    entries = [work.entry(contender) for contender in CONTENDERS]
    run_race(work, Case(entries, Journal(tmp_path), lambda *_: None), plan(2, 2, 1))
    assert [entry.failure for entry in entries] == [None, None]
    assert entries[0].digest == entries[1].digest != ""
    instances = {entry.key: entry.facts["map_memory_bytes"] / SIZE for entry in entries}
    assert instances == {"copied": pytest.approx(3, abs=0.4), "shared": pytest.approx(1, abs=0.4)}
    _, samples = read_journal(tmp_path)
    stages = samples.pivot("stage", index=["contender", "repetition"], values="ns")
    assert len(stages) == 4
    assert samples.group_by("process").len()["len"].to_list() == [6, 6]
    for row in stages.iter_rows(named=True):
        assert 0 < row["readable"] <= row["total"] <= row["readable"] + row["touch"]
    assert set(psutil.Process().children(recursive=True)) <= others


@pytest.mark.parametrize("contender", CONTENDERS)
def test_a_subscriber_that_ends_is_named(contender: str, others: set[psutil.Process]) -> None:
    with ExitStack() as stack:
        processes = Processes(contender, Work(SIZE, 2, 1), stack)
        processes.load()
        assert processes.publish().map_pss_bytes > 0
        victims = set(psutil.Process().children()) - others
        max(victims, key=lambda one: one.pid).kill()
        with pytest.raises(
            ProgramFailedError, match=f"{contender} subscriber 2 was ended by SIGKILL"
        ):
            processes.publish()
    assert set(psutil.Process().children(recursive=True)) <= others


def test_a_map_that_is_not_the_one_sent_is_a_failure() -> None:
    with ExitStack() as stack:
        processes = Processes("copied", Work(SIZE, 1, 1), stack)
        processes.load()
        processes.digest = "another"
        with pytest.raises(
            ProgramFailedError, match=r"subscriber 1 received the map .*, but another was sent"
        ):
            processes.publish()


def test_a_process_reports_why_it_ended() -> None:
    with (
        ExitStack() as stack,
        pytest.raises(ProgramFailedError, match=r"ended with status 1: KeyError: 'carried'"),
    ):
        Processes("carried", Work(SIZE, 1, 1), stack)


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
    ("settings", "message"),
    [
        (bench_map.Settings(size=10), "--size 1e-05: must lie between"),
        (bench_map.Settings(subscribers=(0,)), "--subscribers 0"),
        (bench_map.Settings(repetitions=0), "--repetitions 0"),
        (bench_map.Settings(processes=0), "--processes 0"),
        (bench_map.Settings(seed=-1), "--seed -1"),
        (bench_map.Settings(size=4_000_000_000, subscribers=(64,)), "choose a smaller map"),
    ],
)
def test_what_cannot_be_run_is_named(settings: bench_map.Settings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        settings.check()
