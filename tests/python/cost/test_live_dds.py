# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost --live dds`` beside programs of Cyclone DDS, one of them with ROS's names."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support.networks import NETWORKS, run_inside

NODES = Path(__file__).parents[2] / "nodes/dds"
DOMAIN, RATE_HZ = "7", 20
SCENARIO = """
export ROS_DOMAIN_ID=$1; shift
"$1" "$2" --points 1000 --rate 20 & robot=$!
"$1" "$3" & plain=$!
trap 'kill $robot $plain' EXIT
python=$1; shift 3
ROS_DOMAIN_ID=8 "$python" -m wirecost cost --live dds "$@"
"""


def seen(network: str, out: Path, *options: str) -> Any:
    """Return what the command found of programs that run in a network of their own."""
    shell = ["sh", "-c", SCENARIO, "sh", DOMAIN, sys.executable]
    programs = [NODES / "robot.py", NODES / "plain_writer.py"]
    asked = ["--domain", DOMAIN, "--json", out, *options]
    done = run_inside(network, [*shell, *programs, *asked])
    assert done.returncode == 0, done.stderr
    assert f"--live dds --domain {DOMAIN} --all" in done.stdout
    return {topic["topic"]: topic for topic in json.loads(out.read_text())["topics"]}


@pytest.mark.parametrize("network", NETWORKS)
def test_topics_of_a_domain_are_counted(network: str, tmp_path: Path) -> None:
    topics = seen(network, tmp_path / "cost.json", "--for", "6s")
    calls = {"/lookup (requests)", "/lookup (replies)"}
    assert topics.keys() == {"/points", "/clock", "/tf_static", "Tank/level", *calls}
    points = topics["/points"]
    assert points["type"] == "sensor_msgs/msg/PointCloud2"
    assert points["publishers"] == ["/test/robot"]
    assert points["rate_hz"] == pytest.approx(RATE_HZ, rel=0.15)
    assert points["median_bytes"] > 16_000
    assert points["encode_ns"] > 0
    assert topics["/tf_static"]["count"] == 1  # It was published before anybody listened.
    level = topics["Tank/level"]
    assert level["type"] == "plant::Level"
    assert level["rate_hz"] == pytest.approx(10, rel=0.15)
    assert level["publishers"] == level["takers"] and len(level["takers"]) == 1
    assert "definition" in level["unknown"]


def test_a_limit_ends_what_is_above_and_no_subscription_counts_nothing(tmp_path: Path) -> None:
    graph = tmp_path / "graph.svg"
    asked = ["--for", "6s", "--limit", "100kB", "--report", str(graph)]
    limited = seen("loopback", tmp_path / "cost.json", *asked)
    assert ">/test/robot<" in graph.read_text()
    assert limited["/points"]["count"] < 3.5 * RATE_HZ < limited["/clock"]["count"]
    assert limited["/points"]["rate_hz"] == pytest.approx(RATE_HZ, rel=0.15)
    ends = seen("loopback", tmp_path / "cost.json", "--for", "3s", "--no-subscribe")
    assert ends["/points"]["publishers"] == ["/test/robot"]
    assert ends["/points"]["count"] == ends["Tank/level"]["count"] == 0
