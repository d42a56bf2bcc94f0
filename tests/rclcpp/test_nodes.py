# SPDX-License-Identifier: Apache-2.0
"""Nodes of rclcpp as they are.

``probe run`` names their callbacks and counts as they do, and their recordings replay. ``make
test-ros2`` builds and runs them; the usual tests have no rclcpp."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.networks import NETWORKS, inside
from support.second_user import SECOND_USER, open_folder
from wirecost.system.free_domain import FreeDomain

SCENARIO = Path(__file__).with_name("scenario.py")
PREFIX, NODES = (Path(os.environ[f"WIRECOST_ROS2_{what}"]) for what in ("PREFIX", "NODES"))
MESSAGES = 60
WAITS = ("publish→take", "take→callback", "queued→callback")
COUNTED = {
    "bound": {"/bound /words", "/bound /commands", "/bound timer 50 ms", "/bound service /switch"},
    "groups": {"/groups /words", "/groups /commands", "/groups timer 20 ms"},
    "composed": {"/relay /words", "/sink /inner"},
    "managed": {"/managed /words"},
}
METHODS = {"on_word", "on_command", "on_switch", "on_timer"}
"""Of ``bound``, by ``std::bind``."""


def scenario(what: str, network: str, node: str, *feeder: str | Path) -> dict[str, Any]:
    """Run as an ordinary user in its own network; without root, as oneself in the machine's."""
    words = inside(network) if os.geteuid() == 0 else []
    user = SECOND_USER if os.geteuid() == 0 else os.geteuid()
    with open_folder() as folder, FreeDomain() as domain:
        done = subprocess.run(
            [*words, sys.executable, SCENARIO, what, folder, str(user), PREFIX, NODES / node,
             *feeder],
            env=os.environ | {"ROS_DOMAIN_ID": str(domain.number)},
            stdout=subprocess.PIPE, text=True, check=True, timeout=600,
        )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["fed"]["status"] == 0, found["fed"]
    return found


@pytest.fixture(params=NETWORKS if os.geteuid() == 0 else ["machine"])
def network(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("node", COUNTED)
def test_probe_run_names_callbacks_and_counts_them(network: str, node: str) -> None:
    found = scenario("probe", network, node, NODES / "feeder", str(MESSAGES))
    assert found["probe"]["status"] == 0, found["probe"]["error"]
    assert found["counts"].keys() == COUNTED[node], found["probe"]["error"]
    sections = {each["section"]: each["count"] for each in found["sections"]}
    for callback, count in found["counts"].items():
        executions = {
            name: counted
            for name, counted in sections.items()
            if name.startswith(f"{callback} ") and not name.endswith(WAITS)
        }
        assert list(executions.values()) == [count], (callback, sections)
    if node == "bound":
        assert {method for method in METHODS if f"Bound::{method}" in str(sections)} >= METHODS


@pytest.mark.parametrize(
    ("program", "node"), [("bound", "/bound"), ("managed", "/managed"), ("composed", "/relay")]
)
def test_a_recording_replays_equal(network: str, program: str, node: str) -> None:
    found = scenario(node, network, program, NODES / "feeder", str(MESSAGES))
    assert found["record"]["status"] == 0, found["record"]["error"]
    assert found["replay"]["status"] == 0, found["replay"]["error"]
    assert found["counts"][f"{node} /words"] == MESSAGES
    (compared,) = found["equality"]
    assert compared["difference"] is None
    assert compared["messages"] == MESSAGES


def test_steps_of_an_action_are_counted(network: str) -> None:
    found = scenario("probe", network, "action", NODES / "action", "client")
    (timer,) = (
        one for one in found["sections"] if one["section"].startswith("/action_server timer")
    )
    assert timer["count"] == found["counts"]["/action_server timer 10 ms"]
