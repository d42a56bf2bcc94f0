# SPDX-License-Identifier: Apache-2.0
"""The transport ``ros2``: what every transport must do, and what is its own, by rclpy's Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.networks import NETWORKS, inside, run_inside
from support.ros2_wheels import DISTRIBUTIONS, ROOT, python_of

TESTS = ROOT / "tests" / "python" / "transport"
SCRIPT = ROOT / "tests" / "ros2" / "transport_scenario.py"
OWN_MEMORY = 'mount -t tmpfs none /dev/shm; exec "$@"'
"""Shared memory that no other test's processes are in."""


def run(network: str, *command: str | Path) -> None:
    own = ["unshare", "--mount", *inside(network), "sh", "-c", OWN_MEMORY, "sh"]
    done = subprocess.run(
        [*own, *map(str, command)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_it_does_what_every_transport_must(distribution: str) -> None:
    tests = [TESTS / "test_contract.py", TESTS / "test_machine.py"]
    run("second", python_of(distribution), "-m", "pytest", "-q", *tests, "-k", "ros2")


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_nothing_is_lost_and_nothing_leaves_the_machine(distribution: str, network: str) -> None:
    run(network, python_of(distribution), SCRIPT, "carry", "2000")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_first_messages_after_waiting_arrive(distribution: str) -> None:
    run("second", python_of(distribution), SCRIPT, "begin")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_an_ordinary_user_needs_no_home(distribution: str) -> None:
    done = run_inside("second", [python_of(distribution), SCRIPT, "carry", "50"], ordinary=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_what_it_cannot_do_is_said_in_a_line(distribution: str) -> None:
    run("loopback", python_of(distribution), SCRIPT, "refuse")
