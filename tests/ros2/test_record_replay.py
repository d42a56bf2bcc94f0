# SPDX-License-Identifier: Apache-2.0
"""Record and replay of nodes of rclpy, and of one on Cyclone DDS, with default settings.

They run as an ordinary user, on a machine with loopback alone and on one with a second
interface."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import dds_peers as peers
from support.networks import NETWORKS, SECOND_ADDRESS, inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of

SCENARIO = Path(__file__).with_name("record_replay_scenario.py")
USER = 54321
REMAPPED = ("__ns:=/robot", "__node:=renamed", "points:=/lidar")

OWN_SHARED_MEMORY = [
    "unshare", "--mount", "sh", "-ec", 'mount -t tmpfs none /dev/shm; exec "$@"', "sh",
]  # fmt: skip
CYCLONE = "cyclone"
# With loopback alone and default settings, Cyclone's versions do not find one another.
CASES = [*itertools.product(DISTRIBUTIONS, NETWORKS), (CYCLONE, "second")]

Results = Callable[[str, str], dict[str, Any]]


def _what(kind: str) -> list[str | Path]:
    """Return the node's name, options of ``record``, and how it and its surroundings start."""
    if kind == CYCLONE:
        # Since version 11, Cyclone ignores what comes from loopback unless it is set up for that.
        name = ["/points_filter", "--interface", SECOND_ADDRESS]
        return [*name, "--", peers.FILTER, "--", *peers.robot("--rate", "20")]
    python = python_of(kind)
    remaps = [word for remap in REMAPPED for word in ("-r", remap)]
    node = [python, NODES / "scaler.py", "--ros-args", "-p", "frame:=base", *remaps]
    return ["/robot/renamed", "--", *node, "--", python, NODES / "driver.py"]


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    """All at once, since each mostly waits. Other users cannot enter pytest's own folders."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield from _results(Path(folder))


def _results(parent: Path) -> Iterator[Results]:
    running: dict[tuple[str, str], subprocess.Popen[str]] = {}
    known: dict[tuple[str, str], dict[str, Any]] = {}
    for kind, network in CASES:
        folder = parent / f"{kind}-{network}"
        folder.mkdir()
        command = [sys.executable, SCENARIO, folder, USER, *_what(kind)]
        running[kind, network] = subprocess.Popen(
            [*inside(network), *OWN_SHARED_MEMORY, *map(str, command)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def result(kind: str, network: str) -> dict[str, Any]:
        which = kind, network
        if which not in known:
            out, error = running[which].communicate(timeout=400)
            assert running[which].returncode == 0, error[-3000:]
            known[which] = json.loads(out)
        return known[which]

    yield result
    for each in running.values():
        each.kill()
        each.wait()


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_it_is_recorded_with_all_that_belongs_to_it(
    results: Results, distribution: str, network: str
) -> None:
    found = results(distribution, network)
    recorded = found["record"]
    assert recorded["status"] == 0, recorded["error"]
    assert (recorded["pid"], recorded["pid_found"]) == (found["node"], "announced by its DDS")
    messages = {(each["name"], each["role"]): each["messages"] for each in recorded["topics"]}
    assert messages["/lidar", "input"] > 20
    assert messages["/robot/scaled", "output"] > 20
    assert messages["/robot/widths", "output"] > 3
    assert messages["/robot/described", "output"] == 1
    assert "/robot/mark" in recorded["services"]["provides"]
    assert "/robot/lookup" in recorded["services"]["calls"]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_its_callbacks_are_recorded_meanwhile(results: Results, distribution: str) -> None:
    cases = results(distribution, "loopback")["cases"]
    sent = cases["to /lidar"]
    assert cases["section /robot/renamed /lidar scaler.Scaler._scale"] == sent > 20


@pytest.mark.parametrize(("kind", "network"), CASES)
def test_its_replay_is_equal_after_one_that_was_killed(
    results: Results, kind: str, network: str
) -> None:
    found = results(kind, network)
    assert found["killed"], found["killed run"]
    assert found["after the killed run"] == []
    replayed = found["replay"]
    assert replayed["status"] == 0, replayed["error"]
    (compared,) = replayed["equality"]
    assert compared["difference"] is None
    assert compared["messages"] > 20
    assert not any("padding" in note for note in replayed["notes"]), replayed["notes"]
    assert found["after"] == []


@pytest.mark.parametrize("kind", [*DISTRIBUTIONS, CYCLONE])
def test_nothing_of_a_replay_leaves_the_machine(results: Results, kind: str) -> None:
    found = results(kind, "second")
    assert found["left while recording"]  # by the node itself, which has default settings
    assert found["left while replaying"] == []
    assert found["listened to"] == [], found["killed run"]
