# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost --live ros2`` beside a graph of ten nodes of rclpy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.networks import NETWORKS, run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of

SCENARIO = Path(__file__).with_name("cost_scenario.py")
PAIRS = 5


def seen(network: str, distribution: str, out: Path, *options: str) -> Any:
    """Return what the command found of a graph that runs in a network of its own."""
    sent = out.with_suffix(".sent")
    words = [sys.executable, SCENARIO, python_of(distribution), NODES / "talkers.py", sent]
    done = run_inside(network, [*words, "--for", "8s", "--json", out, *options])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) <= 24, done.stdout
    return json.loads(out.read_text())


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_rates_and_ends_are_those_of_the_graph(
    distribution: str, network: str, tmp_path: Path
) -> None:
    found = seen(network, distribution, tmp_path / "cost.json")
    topics = {topic["topic"]: topic for topic in found["topics"]}
    sent = np.loadtxt(tmp_path / "cost.sent")
    rates = np.diff(sent[:, 1:], axis=0) / np.diff(sent[:, :1], axis=0)
    slowest, fastest = rates.min(0), rates.max(0)
    for number in range(PAIRS):
        topic = topics[f"/imu{number}"]
        assert topic["publishers"] == [f"/talker{number}"]
        assert sorted(topic["takers"]) == sorted(
            f"/listener{taker}" for taker in (number, (number - 1) % PAIRS)
        )
        assert topic["subscribers"] == 2
        # A shared machine: the talkers themselves are late.
        assert 0.9 * slowest[number] <= topic["rate_hz"] <= 1.1 * fastest[number]
        assert topic["median_bytes"] == 316  # 4 of CDR, stamp 8, empty text 8, 37 doubles
    (graph,) = [one for one in found["processes"] if "talkers" in one["command"]]
    assert len(graph["nodes"]) == 2 * PAIRS
    imus = [topic for name, topic in topics.items() if name.startswith("/imu")]
    parts = sum(
        (topic["encode_ns"] + 2 * topic["decode_ns"]) * topic["rate_hz"] / 1e9 for topic in imus
    )
    assert graph["explained"] >= 0.99 * parts  # with what it logs
    threads = sum(thread["share"] for thread in graph["threads"])
    assert 0.95 * graph["share"] <= threads <= 1.05 * graph["share"]


def test_without_subscriptions_there_are_ends_only(tmp_path: Path) -> None:
    found = seen("loopback", "kilted", tmp_path / "cost.json", "--no-subscribe")
    topics = {topic["topic"]: topic for topic in found["topics"]}
    assert topics["/imu0"]["count"] == 0
    assert topics["/imu0"]["publishers"] == ["/talker0"]
