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
from wirecost.observe.probe.function import uprobes

SCENARIO = Path(__file__).with_name("cost_scenario.py")
PAIRS = 5


def seen(
    network: str,
    distribution: str,
    out: Path,
    *options: str,
    node: str = "talkers",
    killed_s: int = 0,
) -> tuple[Any, str]:
    """Return what the command found of a graph that runs in a network of its own, and printed."""
    sent = out.with_suffix(".sent")
    scenario = [python_of(distribution), NODES / f"{node}.py", sent, str(killed_s)]
    words = [sys.executable, SCENARIO, *scenario]
    done = run_inside(network, [*words, "--json", out, *options])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) <= 24, done.stdout
    return json.loads(out.read_text()), " ".join(done.stdout.split())


@pytest.mark.parametrize(("distribution", "network"), [*zip(DISTRIBUTIONS, NETWORKS, strict=True)])
def test_rates_and_ends_are_those_of_the_graph(
    distribution: str, network: str, tmp_path: Path
) -> None:
    found, said = seen(network, distribution, tmp_path / "cost.json", "--for", "6s")
    assert "Listening itself took" in said and "missed" not in said
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


def test_a_graph_that_is_started_again_while_it_is_listened_to(tmp_path: Path) -> None:
    out = tmp_path / "cost.json"
    # A node that starts on a busy machine is announced before it has a name.
    found, said = seen("second", "jazzy", out, "--for", "14s", node="camera", killed_s=3)
    topics = {topic["topic"]: topic for topic in found["topics"]}
    image = topics["/image"]
    # Larger than the shared memory of Fast DDS, which a best-effort subscription would lose.
    assert image["count"] - image["missed"] > 8
    # A busy machine may be too slow for a publisher that keeps the last ten.
    assert ("were missed here" in said) == any(topic["missed"] for topic in found["topics"])
    assert image["publishers"] == ["/camera"]
    assert topics["/map"]["count"] >= 6 and topics["/map"]["rate_hz"] < 2
    assert "not visible" in topics["/ask"]["unknown"]
    cameras = [one for one in found["processes"] if one["nodes"] == ["/camera"]]
    assert [one["has_ended"] for one in cameras].count(True) == 1
    assert [one["has_ended"] for one in cameras].count(False) == 1
    assert "1 process ended meanwhile" in said


def test_without_subscriptions_there_are_ends_and_no_verdict(tmp_path: Path) -> None:
    options = ["--no-subscribe", "--for", "9s"]  # a busy machine finds topics late
    found, said = seen("loopback", "kilted", tmp_path / "cost.json", *options)
    topics = {topic["topic"]: topic for topic in found["topics"]}
    assert topics["/imu0"]["count"] == 0
    assert topics["/imu0"]["publishers"] == ["/talker0"]
    assert "were not listened to" in said and "/talker0" in said
    assert "B/s" not in said and "worth" not in said


def test_breakpoints_say_who_pays_without_a_subscription(tmp_path: Path) -> None:
    if uprobes.unavailable():
        pytest.skip(f"no uprobes: {uprobes.unavailable()}")
    options = ["--attach", "--for", "14s"]  # a busy machine finds names late
    found, said = seen("loopback", "jazzy", tmp_path / "cost.json", *options, node="camera")
    assert "were not listened to" not in said and "/camera" in said
    assert all(topic["count"] == 0 for topic in found["topics"])
    ends = {end["is_publisher"]: end for end in found["ends"] if end["topic"] == "/image"}
    for end in ends.values():
        assert end["nodes"] == ["/camera"]
        assert end["rate_hz"] == pytest.approx(5, rel=0.3)
        assert end["bytes_per_s"] == pytest.approx(1e6 * end["rate_hz"], rel=0.01)
        assert 0 < end["call_share"] < 1
    assert ends[True]["intra_hz"] == pytest.approx(ends[True]["rate_hz"], rel=0.3)
    assert ends[False]["callback_share"] > 0
    (camera,) = found["processes"]
    assert sum(end["call_share"] + end["callback_share"] for end in found["ends"]) < camera["share"]
