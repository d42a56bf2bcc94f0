# SPDX-License-Identifier: Apache-2.0
"""Usage of processes, against what they know of themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from wirecost.observe.usage import clocks, group, machine, memory, processes
from wirecost.observe.usage.group import Group
from wirecost.observe.usage.meter import CGROUP, CLOCKS, Meter
from wirecost.observe.usage.processes import Thread

WORKER = """
import json, resource, subprocess, sys, threading, time

def used(whose=resource.RUSAGE_SELF):
    now = resource.getrusage(whose)
    return [now.ru_utime, now.ru_stime, now.ru_nvcsw, now.ru_nivcsw]

def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        with open("/dev/null", "wb", 0) as file:
            file.write(bytes(4096))

def in_thread(seconds):
    thread = threading.Thread(target=work, args=(seconds,))
    thread.start()
    thread.join()

for line in sys.stdin:
    what, _, amount = line.strip().partition(" ")
    before = used()
    if what == "work":
        work(float(amount))
    elif what == "thread":
        in_thread(float(amount))
    elif what == "sleep":
        for _ in range(int(amount)):
            time.sleep(0.001)
    elif what == "child":
        busy = f"import time\\nwhile time.process_time() < {amount}: pass"
        subprocess.run([sys.executable, "-c", busy])
    elif what == "memory":
        held = bytes(1) * int(amount)
        del held
    print(json.dumps([now - then for now, then in zip(used(), before)]), flush=True)
"""
RUSAGE_STEP_S = 0.02
"""The clocks of what is compared are not read at the same moment, by a step of the tick."""


class Worker:
    """A process that does what it is told."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.do("work 0")

    def do(self, what: str) -> list[float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        answer: list[float] = json.loads(self.process.stdout.readline())
        return answer


@contextmanager
def _working() -> Iterator[Worker]:
    process = Worker()
    try:
        yield process
    finally:
        assert process.process.stdin is not None and process.process.stdout is not None
        process.process.stdin.close()
        process.process.stdout.close()
        process.process.kill()
        process.process.wait()


@pytest.fixture
def worker() -> Iterator[Worker]:
    with _working() as process:
        yield process


@pytest.fixture
def grouped() -> str:
    try:
        Group().close()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    return CGROUP


@pytest.fixture(params=[CLOCKS, CGROUP])
def source(request: pytest.FixtureRequest) -> str:
    if request.param == CGROUP:
        request.getfixturevalue("grouped")
    return str(request.param)


@pytest.mark.parametrize("what", ["work", "thread"])
def test_time_is_that_of_getrusage(worker: Worker, source: str, what: str) -> None:
    meter = Meter([worker.process.pid], use_group=source == CGROUP)
    user, system, *_ = worker.do(f"{what} 0.3")
    used = meter.end()
    assert used.source == source and used.processes == 1
    assert used.user_ns + used.system_ns == used.cpu_ns
    assert used.cpu_ns == pytest.approx(1e9 * (user + system), abs=RUSAGE_STEP_S * 1e9)
    assert used.cpu_ns >= 0.3e9


def test_of_several_processes_it_adds_up(source: str) -> None:
    with _working() as first, _working() as other:
        meters = [
            Meter([first.process.pid], use_group=False),
            Meter([other.process.pid], use_group=False),
        ]
        both = Meter([first.process.pid, other.process.pid], use_group=source == CGROUP)
        first.do("work 0.1")
        other.do("work 0.2")
        together = both.end()
        parts = [meter.end() for meter in meters]
    assert parts[0].cpu_ns >= 0.1e9 and parts[1].cpu_ns >= 0.2e9
    assert together.cpu_ns == pytest.approx(
        parts[0].cpu_ns + parts[1].cpu_ns, abs=RUSAGE_STEP_S * 1e9
    )
    assert together.processes == 2


def test_children_that_have_ended_count(worker: Worker, source: str) -> None:
    meter = Meter([worker.process.pid], use_group=source == CGROUP)
    worker.do("child 0.2")
    used = meter.end()
    assert used.cpu_ns >= 0.19e9 and used.processes == 1


def test_switches_are_those_of_getrusage(worker: Worker) -> None:
    meter = Meter([worker.process.pid], use_group=False)
    *_, voluntary, _ = worker.do("sleep 50")
    used = meter.end()
    # One more to wait for the next command, and what Python does to answer.
    assert 50 <= voluntary <= used.voluntary <= voluntary + 10


def test_the_peak_of_memory_is_of_the_interval(worker: Worker) -> None:
    worker.do(f"memory {256 << 20}")
    meter = Meter([worker.process.pid], use_group=False)
    worker.do(f"memory {64 << 20}")
    used = meter.end().memory
    assert 64 << 20 <= used.peak_rss_bytes < 192 << 20
    assert 0 < used.rss_bytes < 64 << 20
    assert used.pss_bytes is not None and 0 < used.pss_bytes <= used.rss_bytes


def test_a_process_that_was_killed_is_left_out(worker: Worker) -> None:
    meter = Meter([worker.process.pid], use_group=False)
    worker.process.kill()
    worker.process.wait()
    used = meter.end()
    assert (used.processes, used.cpu_ns, used.memory.rss_bytes) == (0, 0, 0)
    assert clocks.scheduled(worker.process.pid) is None
    assert memory.read(worker.process.pid) is None
    assert processes.read_threads(worker.process.pid) == {}


@pytest.mark.usefixtures("grouped")
def test_a_group_has_the_time_of_one_that_was_killed(worker: Worker) -> None:
    meter = Meter([worker.process.pid])
    worker.do("work 0.1")
    worker.process.kill()
    worker.process.wait()
    assert meter.end().cpu_ns >= 0.1e9


@pytest.mark.usefixtures("grouped")
def test_groups_are_gone_and_those_of_the_dead_are_removed(worker: Worker) -> None:
    held = Group()
    parent = held.folder.parent
    before = group._group_of(str(worker.process.pid))
    held.add([worker.process.pid])
    assert group._group_of(str(worker.process.pid)) != before
    space = held.folder.name.partition("-")[0]
    dead = parent / f"{space}-{worker.process.pid}-1-abc"  # not when that process began
    foreign = parent / f"1{space}-{worker.process.pid}-1-abc"  # of a container, alive or not
    dead.mkdir()
    foreign.mkdir()
    Group().close()
    assert held.folder.is_dir() and not dead.exists() and foreign.exists()
    foreign.rmdir()
    folder = held.folder
    del held  # without a close
    assert not folder.exists()
    assert group._group_of(str(worker.process.pid)) == before


@pytest.mark.usefixtures("grouped")
def test_a_group_is_made_where_another_run_removes_the_one_above(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweep, calls = group._sweep, 0

    def removed(parent: Path) -> None:
        nonlocal calls
        calls += 1
        sweep(parent)

    def make(folder: Path, *arguments: Any, **more: Any) -> None:
        nonlocal calls
        if folder.parent.name == group.NAME and calls == 1:
            calls += 1
            raise FileNotFoundError(folder)
        mkdir(folder, *arguments, **more)

    mkdir = Path.mkdir
    monkeypatch.setattr(group, "_sweep", removed)
    monkeypatch.setattr(Path, "mkdir", make)
    with Group() as own:
        assert own.folder.is_dir()
    assert calls == 3


def test_threads_that_began_count_from_their_begin() -> None:
    before = {1: Thread(100, 5, 1), 2: Thread(1000, 9, 9)}
    after = {1: Thread(150, 8, 1), 3: Thread(10, 2, 0)}
    assert processes.threads_since(before, after) == Thread(60, 5, 0)
    assert processes.threads_since({}, {1: Thread(None, 1, 1)}) == Thread(None, 1, 1)


def test_descendants_are_found_once(worker: Worker) -> None:
    living = processes.with_descendants([os.getpid(), worker.process.pid])
    assert living[0] == os.getpid() and living.count(worker.process.pid) == 1
    assert processes.with_descendants([]) == []


def test_the_machine_is_at_least_as_busy_as_a_process(worker: Worker) -> None:
    before, meter = machine.read(), Meter([worker.process.pid], use_group=False)
    worker.do("work 0.3")
    used, passed = meter.end(), machine.read() - before
    assert passed.busy_ns >= used.cpu_ns - 5 * machine.TICK_NS
    assert passed.interrupts_ns >= 0 and passed.ksoftirqd_ns >= 0


def test_files_that_say_less(tmp_path: Path) -> None:
    """Kernels without schedstat and smaps_rollup have such files."""
    folder: Any = tmp_path / "7"
    (folder / "task" / "7").mkdir(parents=True)
    text = "VmHWM:\t  20 kB\nVmRSS:\t  10 kB\nvoluntary_ctxt_switches:\t3\n"
    (folder / "status").write_text(text)
    (folder / "task" / "7" / "status").write_text(text)
    assert memory.read(7, tmp_path) == memory.Memory(10 << 10, 20 << 10, None)
    assert memory.held([7, 8], tmp_path) == 10 << 10
    assert processes.read_threads(7, tmp_path) == {7: Thread(None, 3, 0)}
    assert not memory.reset_peak(8, tmp_path)
