# SPDX-License-Identifier: Apache-2.0
"""Costs of ``wirecost probe run`` for a ROS 1 node, and agreement with a probe in the source.

Run ``python -m acceptance.probe_run [SECONDS]`` alone on the machine; PYTHONPATH is
``tests:tests/python``.

Overhead: two relays of Debian take the same 1,000 messages a second at once, one of them with
hooks and times only; the processor time of their threads is compared, in rounds that change which
starts first. Turnaround: a node with a probe of its own is hooked as well, so that each callback is
measured by both. Causes: the node built with its probes and the node built without, hooked, take
the same clouds at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from acceptance.goal import Goal
from support.ros1_system import (
    DEBIAN_MODULES,
    TOPIC_TOOLS,
    WIRECOST,
    Ros1System,
    ros1_system,
    until,
)
from wirecost.results.analysis.causes import explain
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import events_of, read_logs
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

BUILT = Path(__file__).parents[2] / "build" / "cmake"
PROBED = BUILT / "examples" / "nodes" / "ring_filter_ros1"
UNPROBED = BUILT / "tests" / "cpp" / "ros1" / "ring_filter_unprobed"
SCANS = Path(__file__).parents[2] / "examples" / "nodes" / "send_ros1.py"
ROUNDS, RATE = 3, 1000
RUNNING: list[subprocess.Popen[bytes]] = []
TIMES_ONLY = {"WIRECOST_PROBE_COUNTERS": "none"}
SENDER = f"""
import rospy
from std_msgs.msg import Header
rospy.init_node("sender")
publisher = rospy.Publisher("/in", Header, queue_size=100)
rate = rospy.Rate({RATE})
while not rospy.is_shutdown():
    publisher.publish(Header(stamp=rospy.Time.now()))
    rate.sleep()
"""


def processor_ns(process: int) -> int:
    """Return the processor time of the process's threads, by the scheduler."""
    files = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    process.wait(60)


def started(system: Ros1System, words: list[str | Path], **more: str) -> subprocess.Popen[bytes]:
    RUNNING.append(
        subprocess.Popen(
            [str(word) for word in words],
            env=system.environment | more,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    )
    return RUNNING[-1]


def descendant(process: int, name: str) -> int:
    """Return the process that a command started, itself or below."""
    for task in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((task / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == process and (task / "comm").read_text().strip() == name:
                return int(task.name)
        except OSError:
            continue
    raise ProcessLookupError(name)


def overhead(system: Ros1System, folder: Path, seconds: float) -> Goal:
    source = folder / "sender.py"
    source.write_text(SENDER)
    sender = started(system, ["/usr/bin/python3", source], PYTHONPATH=DEBIAN_MODULES)
    until(lambda: "/in" in system.published())
    shares, rates = [], []
    for number in range(ROUNDS):
        logs = folder / f"overhead-{number}"
        hooked = [WIRECOST, "probe", "run", "--out", logs, "--"]
        both = [("plain", []), ("hooked", hooked)]
        running = {}
        for name, before in both if number % 2 else reversed(both):
            words = [*before, TOPIC_TOOLS / "relay", "/in", f"/{name}{number}", f"__name:={name}"]
            running[name] = started(system, words, **TIMES_ONLY)
        until(lambda n=number: {f"/plain{n}", f"/hooked{n}"} <= system.published())
        time.sleep(2)
        of = {"plain": running["plain"].pid, "hooked": descendant(running["hooked"].pid, "relay")}
        before_ns, begun = {name: processor_ns(pid) for name, pid in of.items()}, time.monotonic()
        time.sleep(seconds)
        lasted = (time.monotonic() - begun) * 1e9
        used = {name: processor_ns(pid) - before_ns[name] for name, pid in of.items()}
        shares.append((used["hooked"] - used["plain"]) / lasted)
        for process in running.values():
            ended(process)
        events = events_of(read_logs([logs])).filter(section="/hooked /in in_cb")
        span = int(events["end_ns"].max() or 0) - int(events["begin_ns"].min() or 0)
        rates.append(events.height / (span / 1e9))
    ended(sender)
    measured = ", ".join(f"{100 * share:.2f} %" for share in shares)
    return Goal(
        f"overhead at {np.median(rates):.0f} callbacks/s, times only",
        "≤ 2 % of a core",
        measured,
        max(shares) <= 0.02,
    )


def nodes(
    system: Ros1System, folder: Path, seconds: float, counters: str
) -> dict[str, pl.DataFrame]:
    """Events of the node with its probes and hooks, and of the one without, by the same clouds."""
    scans = started(system, [sys.executable, SCANS, "--scan", "vlp32"], PYTHONPATH=DEBIAN_MODULES)
    until(lambda: "/points" in system.published())
    running = []
    for name, program in (("probed", PROBED), ("unprobed", UNPROBED)):
        run = [WIRECOST, "probe", "run", "--out", folder / name, "--"]
        node = [program, f"__name:={name}", "_version:=usual", "~points:=/points"]
        variables = {"WIRECOST_PROBE_COUNTERS": counters} if counters else {}
        running.append(started(system, [*run, *node], **variables))
    until(lambda: {"/probed/filtered", "/unprobed/filtered"} <= system.published())
    time.sleep(seconds)
    for process in (*running, scans):
        ended(process)
    return {name: events_of(read_logs([folder / name])) for name in ("probed", "unprobed")}


def callback_of(events: pl.DataFrame) -> str:
    names = set(events.filter(kind="section")["section"])
    return next(name for name in names if name.endswith("on_cloud"))


def turnaround(events: pl.DataFrame) -> Goal:
    """Both sections of each callback end in the same order."""
    own = events.filter(section="callback").sort("begin_ns")
    hook = events.filter(section=callback_of(events)).sort("begin_ns")
    lengths = [(events["end_ns"] - events["begin_ns"]).to_numpy() for events in (own, hook)]
    difference = lengths[1] - lengths[0]
    allowed = np.maximum(1000, lengths[0] * 0.01)
    share = float((difference <= allowed).mean())
    median = float(np.median(lengths[0])) / 1e3
    return Goal(
        f"turnaround by hook minus by probe, {len(difference)} callbacks of {median:.0f} µs",
        "≤ 1 µs or 1 %",
        f"median {np.median(difference):.0f} ns, 99 % {np.quantile(difference, 0.99):.0f} ns, "
        f"{100 * share:.1f} % within",
        bool(np.quantile(difference - allowed, 0.99) <= 0),
    )


def ranked(events: pl.DataFrame, section: str) -> list[str]:
    sections = explain(executions(events.filter(section=section)))
    return [cost.name for section in sections for cost in section.costs]


def causes(events: dict[str, pl.DataFrame]) -> list[Goal]:
    """Return goals for the causes of the same callbacks by hook and by probe.

    Another process without probes is compared as well; its rarer causes, such as preemption, are
    its own."""
    probed, unprobed = events["probed"], events["unprobed"]
    by_probe, by_hook = ranked(probed, "callback"), ranked(probed, callback_of(probed))
    without = ranked(unprobed, callback_of(unprobed))
    said = [", ".join(causes) or "none" for causes in (by_probe, by_hook, without)]
    return [
        Goal(
            "ranked causes of the same callbacks", "the same",
            f"probe: {said[0]}; hook: {said[1]}", bool(by_probe) and by_probe == by_hook,
        ),
        Goal(
            "first cause of a node built without probes", said[0].partition(",")[0],
            f"of all: {said[2]}", by_probe[:1] == without[:1] and bool(without),
        ),
    ]  # fmt: skip


def main(arguments: list[str]) -> int:
    seconds = float(arguments[0]) if arguments else 20.0
    os.environ.pop("WIRECOST_PROBE", None)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place, ros1_system(Path(place)) as system:
        folder = Path(place)
        try:
            goals = [overhead(system, folder, seconds)]
            goals.append(turnaround(nodes(system, folder / "times", seconds, "none")["probed"]))
            goals.extend(causes(nodes(system, folder / "counted", seconds, "")))
        finally:
            for process in RUNNING:
                if process.poll() is None:
                    ended(process)
    body = [[goal.what, goal.asked, goal.measured, "yes" if goal.met else "no"] for goal in goals]
    print_table(
        Console(width=160), Table("probe run", ["goal", "asked", "measured", "met"], body, [])
    )
    return int(not all(goal.met for goal in goals))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
