# SPDX-License-Identifier: Apache-2.0
"""Processor time read from outside, compared with getrusage and ``perf stat``.

Run ``python -m acceptance.processor_time``.

Each load runs in a process of its own, several times; the largest difference is printed. Asked is
3 %. Where the kernel counts nothing for this user, perf's column is empty. Of a load that sleeps
2,000 times per second of processor time, perf stat counted about 5 % less than getrusage and the
kernel's accounts; probably it leaves out time within each context switch."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from wirecost.observe.usage.group import Group
from wirecost.observe.usage.meter import CGROUP, CLOCKS, Meter
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

ASKED = 0.03
TIMES = 5
ATTACH_S = 0.3
"""Until perf counts."""
PROGRAM = """
import json, resource, socket, subprocess, sys, threading, time

def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))

def threads(seconds):
    made = [threading.Thread(target=compute, args=(seconds / 4,)) for _ in range(4)]
    for one in made: one.start()
    for one in made: one.join()

def loopback(seconds):
    inbox, outbox = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    inbox.bind(("127.0.0.1", 0))
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        outbox.sendto(bytes(8000), inbox.getsockname())
        inbox.recv(9000)

def sleeping(seconds):
    end = time.thread_time() + seconds / 5
    while time.thread_time() < end:
        sum(range(20_000))
        time.sleep(0.001)

def children(seconds):
    for _ in range(4):
        busy = f"import time\\nwhile time.process_time() < {seconds / 4}: pass"
        subprocess.run([sys.executable, "-c", busy])

def used():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)

print("ready", flush=True)
sys.stdin.readline()
before = used()
globals()[sys.argv[1]](1.0)
print(json.dumps(used() - before), flush=True)
sys.stdin.readline()
"""
LOADS = ("compute", "threads", "loopback", "sleeping", "children")


@dataclass(frozen=True)
class Reading:
    """Seconds."""

    ours: float
    getrusage: float
    perf: float | None

    def difference(self, other: float | None) -> float | None:
        return None if other is None else self.ours / other - 1


def measured(load: str, source: str) -> Reading:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, load],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdout.readline()
        counting = _perf(process.pid)
        with Meter([process.pid], use_group=source == CGROUP) as meter:
            process.stdin.write("go\n")
            process.stdin.flush()
            own = float(json.loads(process.stdout.readline()))
            ours = meter.read().cpu_ns / 1e9
        return Reading(ours, own, _counted(counting))
    finally:
        process.kill()
        process.communicate()


def _perf(process: int) -> subprocess.Popen[str] | None:
    if shutil.which("perf") is None:
        return None
    counting = subprocess.Popen(
        ["perf", "stat", "-x", ";", "-e", "task-clock", "-p", str(process)],
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(ATTACH_S)
    return counting


def _counted(counting: subprocess.Popen[str] | None) -> float | None:
    if counting is None:
        return None
    counting.send_signal(signal.SIGINT)
    _, line = counting.communicate()
    try:
        return float(line.split(";")[0]) / 1e3
    except ValueError:
        return None


def _sources() -> list[str]:
    try:
        Group().close()
    except OSError:
        return [CLOCKS]
    return [CLOCKS, CGROUP]


def _percent(values: list[float | None]) -> str:
    present = [value for value in values if value is not None]
    return f"{100 * max(present, key=abs):+.2f} %" if present else ""


def main() -> int:
    body, met = [], True
    for load in LOADS:
        for source in _sources():
            readings = [measured(load, source) for _ in range(TIMES)]
            own = [reading.difference(reading.getrusage) for reading in readings]
            perf = [reading.difference(reading.perf) for reading in readings]
            good = all(
                difference is None or abs(difference) <= ASKED for difference in (*own, *perf)
            )
            met &= good
            mean = sum(reading.ours for reading in readings) / TIMES
            body.append(
                [
                    load,
                    source,
                    f"{mean:.3f} s",
                    _percent(own),
                    _percent(perf),
                    "yes" if good else "no",
                ]
            )
    head = ["load", "read from", "processor time", "to getrusage", "to perf stat", "within 3 %"]
    notes = [f"the largest difference of {TIMES}"]
    print_table(Console(), Table("Processor time of processes", head, body, notes))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
