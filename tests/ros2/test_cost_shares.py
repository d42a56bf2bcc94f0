# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost`` of nodes of rclpy that know the processor time that they take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.networks import run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.results.records.recorded import read_recorded

NEAR = 0.2
"""Within 5 % on a machine of one's own; elsewhere what others do to the caches is in both."""
EXIT_NS = 500_000_000
"""Most processor time of an interpreter that ends, after what the node prints last."""


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_shares_are_what_the_nodes_take(distribution: str, tmp_path: Path) -> None:
    logs, table = tmp_path / "logs", tmp_path / "cost.json"
    wirecost = [sys.executable, "-m", "wirecost"]
    run = [*wirecost, "probe", "run", "--out", logs, "--json", tmp_path / "probe.json", "--"]
    counted = ["env", "WIRECOST_PROBE_COUNTERS=processor-ns"]
    done = run_inside("loopback", [*counted, *run, python_of(distribution), NODES / "spenders.py"])
    assert done.returncode == 0, done.stderr
    took = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    done = subprocess.run(
        [*map(str, [*wirecost, "cost", logs, "--json", table])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert len(done.stdout.splitlines()) <= 24
    found = json.loads(table.read_text())
    stages = {
        (stage["node"], stage["topic"], stage["stage"]): stage["processor_ns"]
        for stage in found["stages"]
    }
    for key, ns in (
        (("/detector", "/image", "callback"), took["detect"]),
        (("/camera", "timer 50 ms", "callback"), took["grab"]),
        (("/camera", "/image", "publish"), took["publish"]),
    ):
        assert stages[key] == pytest.approx(ns, rel=NEAR), key
    assert stages["/detector", "/image", "take"] > 0
    (process,) = found["processes"]
    whole = process["processor_ns"]
    assert sum(stages.values()) == pytest.approx(process["sections_ns"], rel=1e-6)
    assert process["sections_ns"] + process["executor_ns"] <= whole
    (log,) = read_recorded([logs])
    assert log.process_end_ns is not None
    assert took["before"] <= log.process_begin_ns
    assert took["until"] <= log.process_end_ns <= took["until"] + EXIT_NS
    assert whole == log.process_end_ns - log.process_begin_ns
    waits = {wait["kind"]: wait for wait in found["waits"] if wait["topic"] == "/image"}
    assert waits["publish→take"]["median_ns"] > 0
