# SPDX-License-Identifier: Apache-2.0
"""The ring outlier filter as a node: recorded, replayed, its page faults found and avoided."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.programs import execute
from support.ros1_system import DEBIAN_MODULES, Ros1System, ros1_system, until
from wirecost.replay.dds.domain import FreeDomain
from wirecost.replay.dds.domain import environment as in_domain
from wirecost.results.records.probe_log import COUNTER, read_logs
from wirecost.results.records.probe_log import events_of as probe_events

ROOT = Path(__file__).parents[2]
SENDERS = ROOT / "examples" / "nodes"
BUILT = ROOT / "build" / "cmake" / "examples" / "nodes"
WIRECOST = Path(sys.executable).with_name("wirecost")
FOR = ("--for", "2.5")
WARM_UP = 10
"""Callbacks until every allocation has been seen once: the eight sizes of a scan, and a few."""

Environment = dict[str, str]

ros1 = pytest.mark.skipif(
    not ((BUILT / "ring_filter_ros1").exists() and Path("/usr/bin/roscore").exists()),
    reason="needs Debian's libroscpp-dev, libsensor-msgs-dev and roscore, and a build with tests",
)
dds = pytest.mark.skipif(
    not (BUILT / "ring_filter_dds").exists() or importlib.util.find_spec("wirecost._dds") is None,
    reason="needs Debian's cyclonedds-dev, cyclonedds-tools and libfastrtps-dev",
)


@contextmanager
def running(command: list[str | Path], environment: Environment) -> Iterator[None]:
    """Run the command, and end it by SIGINT as Ctrl-C does."""
    with subprocess.Popen(
        [str(each) for each in command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ros1System]:
    """Start a ROS 1 system into which scans are sent."""
    with ros1_system(tmp_path_factory.mktemp("ros")) as system:
        sender = SENDERS / "send_ros1.py"
        system.start(sys.executable, sender, "--scan", "vlp32", PYTHONPATH=DEBIAN_MODULES)
        until(lambda: "/points" in system.published())
        yield system


@contextmanager
def ros1_node(master: Ros1System, version: str) -> Iterator[Environment]:
    node = BUILT / "ring_filter_ros1"
    with running([node, f"_version:={version}", "~points:=/points"], master.environment):
        until(lambda: "/ring_filter/filtered" in master.published())
        yield master.environment
    until(lambda: "/ring_filter/filtered" not in master.published())


@contextmanager
def dds_node(version: str) -> Iterator[Environment]:
    """Open a domain into which scans are sent, and start the node in it."""
    sender: list[str | Path] = [sys.executable, SENDERS / "send_dds.py", "--scan", "vlp32"]
    with FreeDomain() as domain:
        environment = os.environ | in_domain(domain.number)
        with (
            running(sender, environment),
            running([BUILT / "ring_filter_dds", version], environment),
        ):
            yield environment


def wirecost(environment: Environment, *words: str | Path) -> Any:
    """Return the command's answer as JSON."""
    command = [str(WIRECOST), words[0], "--json", "-", *words[1:]]
    done = execute([str(each) for each in command], env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def faults(out: Path, run: int) -> list[int]:
    """Minor faults of each callback of a run."""
    logs = read_logs(sorted((out / "probe" / f"run-{run}").glob("*.wprobe")))
    events = probe_events(logs)
    column = f"{COUNTER}minor-faults"
    callbacks = events.filter(events["section"] == "callback").sort("loop")
    return [int(each) for each in callbacks[column]]


def replayed(recording: Path, out: Path, repeats: int, *options: str | Path) -> None:
    """In a system of its own; checks what is so whatever filters."""
    words: list[str | Path] = ["replay", recording, "--repeat", str(repeats), "--out", out]
    result = wirecost({**os.environ}, *words, "--no-report", *options)
    assert [one["difference"] for one in result["equality"]] == [None] * repeats
    assert result["equality"][0]["messages"] > WARM_UP + 5
    turnaround = {row["case"]: row for row in result["rows"] if row["stage"] == "turnaround"}
    assert turnaround.keys() == {"section callback", "section filter", "section publish"}
    assert turnaround["section callback"]["n"] == sum(one["sent"] for one in result["repeats"])
    assert [rules.keys() for rules in result["rules"].values()] == [{"stamp"}]


@ros1
def test_a_node_of_ros_1_loses_its_page_faults(master: Ros1System, tmp_path: Path) -> None:
    if b"usual needs PCL" in (BUILT / "ring_filter_ros1").read_bytes():
        pytest.skip("needs PCL: run benchmarks/cloud/cpp/pcl-headers build/pcl and build again")
    recording = tmp_path / "recording"
    with ros1_node(master, "usual") as system:
        reported = wirecost(system, "record", "/ring_filter", *FOR, "--out", recording)
    assert {("/points", "input"), ("/ring_filter/filtered", "output")} == {
        (one["name"], one["role"]) for one in reported["topics"]
    }
    replayed(recording, tmp_path / "plain", 2)
    # Converting takes new memory from the system, most often with each message; what of it glibc
    # keeps depends on the arena that the spinner's thread got.
    assert all(sum(faults(tmp_path / "plain", run)) > 0 for run in (1, 2))
    replayed(recording, tmp_path / "heap", 1, "--heap")
    assert not any(faults(tmp_path / "heap", 1)[WARM_UP:])
    words = ("replay", recording, "--try", "--remedies", "heap", "--repeat", "2")
    tried = wirecost({**os.environ}, *words, "--as-fast-as-consumed", "--out", tmp_path / "tried")
    found = {one["remedy"]: one for one in tried["remedies"]}
    assert found["heap"]["minor_faults"] <= found["as it is"]["minor_faults"] / 2
    assert {one["outputs"] for one in found.values()} == {"equal"}
    assert {one["case"] for one in tried["gains"]} >= {"section callback", "section filter"}
    # Another version of it, run instead, publishes the same bytes.
    node = BUILT / "ring_filter_ros1"
    other = tmp_path / "other"
    replayed(recording, other, 1, "--", node, "_version:=wirecost", "~points:=/points")


@dds
def test_a_node_on_dds_loses_its_page_faults(tmp_path: Path) -> None:
    recording = tmp_path / "recording"
    with dds_node("recommended") as system:
        reported = wirecost(
            system, "record", "--system", "dds", "/ring_filter", *FOR, "--out", recording
        )
    assert {("/points", "input"), ("/filtered", "output")} == {
        (one["name"], one["role"]) for one in reported["topics"]
    }
    replayed(recording, tmp_path / "plain", 2)
    assert sum(faults(tmp_path / "plain", 1)) > 0
    replayed(recording, tmp_path / "heap", 1, "--heap")
    assert not any(faults(tmp_path / "heap", 1)[WARM_UP:])


@dds
def test_a_version_that_is_not_there_is_one_line() -> None:
    done = execute([BUILT / "ring_filter_dds", "fast"], timeout=20)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "recommended or wirecost" in done.stderr
