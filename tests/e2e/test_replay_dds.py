# SPDX-License-Identifier: Apache-2.0
"""A node on Cyclone DDS that speaks as ROS 2 does, recorded and replayed, does the same again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from rosbags.rosbag2 import Reader

from support import dds_peers as peers
from support.programs import execute
from support.waiting import until
from wirecost.replay.dds.domain import FreeDomain
from wirecost.replay.dds.domain import environment as in_domain
from wirecost.replay.recording.reader import read_recording

WIRECOST = Path(sys.executable).with_name("wirecost")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start the filter and the robot in a domain of their own; return their environment."""
    folder = tmp_path_factory.mktemp("dds")
    with FreeDomain() as domain:
        yield from _running(folder, os.environ | in_domain(domain.number))


def _running(folder: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    log = (folder / "log").open("wb")
    started = [
        subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        for command in (
            [peers.FILTER],
            peers.robot("--points", "500", "--rate", "20"),
        )
    ]
    try:
        until(lambda: (folder / "log").read_text().count("ready") >= 2)
        yield environment
    finally:
        for process in started:
            process.send_signal(signal.SIGINT)
        for process in started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        log.close()


def _wirecost(system: dict[str, str], *words: str | Path | int) -> subprocess.CompletedProcess[str]:
    command = [str(WIRECOST), *map(str, words)]
    return execute(command, env=system, timeout=120)


def test_a_filter_filters_the_same_again(system: dict[str, str], tmp_path: Path) -> None:
    folder, out = tmp_path / "filter", tmp_path / "out"
    words = ["record", "--system", "dds", "/points_filter", "--for", "4", "--out", folder]
    done = _wirecost(system, *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    topics = {(one["name"], one["role"]): one for one in report["topics"]}
    assert {
        ("/points", "input"),
        ("/clock", "input"),
        ("/tf_static", "input"),
        ("/filtered", "output"),
    } == topics.keys()
    assert topics["/tf_static", "input"]["messages"] == 1
    assert topics["/tf_static", "input"]["qos"]["durability"] == "transient_local"
    assert topics["/points", "input"]["messages"] > 20
    with Reader(folder / "recording.mcap") as reader:
        read = [c.topic for c, _, _ in reader.messages()]
    assert read.count("/points") == topics["/points", "input"]["messages"]
    recorded = read_recording(folder / "recording.mcap", "ros2")
    started = datetime.fromisoformat(json.loads((folder / "node.json").read_text())["started"])
    # What the robot still kept for the filter came to that before: a burst would be too much.
    for one in (*recorded.inputs, *recorded.outputs):
        assert one.topic == "/tf_static" or one.publish_ns >= started.timestamp() * 1e9
    done = _wirecost(
        system, "replay", folder, "--repeat", "2", "--out", out, "--no-report", "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [one["difference"] for one in result["equality"]] == [None, None]
    outputs = pl.read_parquet(out / "outputs.parquet")
    assert len(outputs) > 40
    assert outputs["rule"].unique().to_list() == ["stamp"]
    assert set(outputs["input_topic"]) == {"/points"}
    assert "tf_static 1" in (out / "node-output-1.txt").read_text()


def test_a_launched_node_is_recorded_from_its_begin(tmp_path: Path) -> None:
    folder, out, report = tmp_path / "filter", tmp_path / "out", tmp_path / "report.json"
    with FreeDomain() as domain:
        environment = in_domain(domain.number)
        with peers.running(peers.robot("--rate", "20"), environment):
            words = ["record", "--system", "dds", "/points_filter", "--for", "3", "--out", folder]
            words += ["--json", report, "--launch", "--", peers.FILTER]
            done = _wirecost(os.environ | environment, *words)
    assert done.returncode == 0, done.stderr
    # Ended with the recording, so that it printed what it had.
    assert "points " in done.stderr
    recorded = json.loads(report.read_text())
    assert recorded["pid_found"].startswith("announced")
    assert recorded["services"] == {"provides": ["/points_filter/enable"], "calls": ["/lookup"]}
    calls = _count(folder, "/lookup/_call")
    assert calls >= 3
    done = _wirecost(dict(os.environ), "replay", folder, "--out", out, "--no-report", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert [one["difference"] for one in json.loads(done.stdout)["equality"]] == [None]
    printed = (out / "node-output-1.txt").read_text()
    assert printed.count("lookup ") >= calls - 1
    assert "tf_static 1" in printed


def test_a_process_may_be_named(system: dict[str, str], tmp_path: Path) -> None:
    with peers.running([peers.FILTER, "--silent"], system) as node:
        words = ["record", "--system", "dds", "/points_filter", "--pid", node.pid, "--for", "1"]
        done = _wirecost(system, *words, "--out", tmp_path / "named", "--json", "-")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["pid"], report["pid_found"]) == (node.pid, "given")


def _count(folder: Path, topic: str) -> int:
    with Reader(folder / "recording.mcap") as reader:
        return sum(connection.topic == topic for connection, _, _ in reader.messages())


def test_a_node_that_is_not_there_is_one_line(system: dict[str, str], tmp_path: Path) -> None:
    done = _wirecost(system, "record", "--system", "dds", "/points_filtr", "--out", tmp_path / "a")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "/points_filter" in done.stderr
