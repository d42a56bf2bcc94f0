# SPDX-License-Identifier: Apache-2.0
"""The chain through a timer of rclpy is that of the message which the node itself worked on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support.networks import run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.results.analysis.chains.hops import hops_of
from wirecost.results.analysis.chains.listed import Join, listed
from wirecost.results.analysis.chains.walk import chains_between
from wirecost.results.records.recorded import event_tables, read_recorded

PLANS = 20


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_chain_goes_through_a_timer_of_rclpy(distribution: str, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    wirecost = [sys.executable, "-m", "wirecost", "probe", "run", "--out", str(logs), "--"]
    command = [*wirecost, str(python_of(distribution)), str(NODES / "planned.py")]
    done = run_inside("loopback", command)
    assert done.returncode == 0, done.stderr
    sources = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("[")))
    hops = hops_of(pl.concat(event_tables(read_recorded([logs])), how="diagonal"))
    (chain,) = listed(hops).chains
    assert chain.name == "/points ⇢ timer 50 ms → /plan → /actuator"
    assert chain.count == PLANS == len(sources)
    assert chain.joins == [Join("/planner", "timer 50 ms", "last input")]
    points = hops.published.filter(topic="/points").sort("begin_ns")["index"].to_list()
    found = chains_between(hops, "/points", "/actuator").chains
    assert [points.index(one.source) for one in found] == sources
    listing = subprocess.run(
        [sys.executable, "-m", "wirecost", "probe", "chain", str(logs), "--json", "-"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    (row,) = json.loads(listing.stdout)["chains"]
    assert row["path"] == [
        {"taken": "/points"}, {"kept": "timer 50 ms"}, {"taken": "/plan"}, {"taken": "/actuator"},
    ]  # fmt: skip
