# SPDX-License-Identifier: Apache-2.0
"""Record and replay of a node of rclpy with default settings, as an ordinary user, on a machine
with loopback alone and on one with a second interface."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.networks import NETWORKS, inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of

SCENARIO = Path(__file__).with_name("record_replay_scenario.py")
USER = 54321
REMAPPED = ("__ns:=/robot", "__node:=renamed", "points:=/lidar")

Results = Callable[[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """All at once, since each mostly waits."""
    running: dict[tuple[str, str], subprocess.Popen[str]] = {}
    known: dict[tuple[str, str], dict[str, Any]] = {}
    for distribution in DISTRIBUTIONS:
        python = str(python_of(distribution))
        node = [python, str(NODES / "scaler.py"), "--ros-args", "-p", "frame:=base"]
        node += [word for remap in REMAPPED for word in ("-r", remap)]
        for network in NETWORKS:
            folder = tmp_path_factory.mktemp(f"{distribution}-{network}")
            for each in (folder, *folder.parents[:2]):
                each.chmod(0o755)
            command = [sys.executable, str(SCENARIO), str(folder), str(USER)]
            command += [*node, "--", python, str(NODES / "driver.py")]
            running[distribution, network] = subprocess.Popen(
                [*inside(network), *command], stdout=subprocess.PIPE, text=True
            )

    def result(distribution: str, network: str) -> dict[str, Any]:
        which = distribution, network
        if which not in known:
            out, _ = running[which].communicate(timeout=400)
            assert running[which].returncode == 0
            known[which] = json.loads(out)
        return known[which]

    yield result
    for each in running.values():
        each.kill()
        each.wait()


@pytest.fixture(params=NETWORKS)
def network(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=DISTRIBUTIONS)
def distribution(request: pytest.FixtureRequest) -> str:
    return str(request.param)


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


def test_its_replay_is_equal_after_one_that_was_killed(
    results: Results, distribution: str, network: str
) -> None:
    found = results(distribution, network)
    assert found["killed"]
    assert found["after the killed run"] == []
    replayed = found["replay"]
    assert replayed["status"] == 0, replayed["error"]
    (compared,) = replayed["equality"]
    assert compared["difference"] is None
    assert compared["messages"] > 20
    assert not any("padding" in note for note in replayed["notes"]), replayed["notes"]
    assert found["after"] == []


def test_nothing_of_a_replay_leaves_the_machine(results: Results, distribution: str) -> None:
    found = results(distribution, "second")
    assert found["left while recording"]  # by the node itself, which has default settings
    assert found["left while replaying"] == []
    assert found["listened to"] == []
