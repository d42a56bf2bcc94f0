# SPDX-License-Identifier: Apache-2.0
"""Nodes of a running ROS 1 system are recorded, and replayed alone they do the same again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mcap.reader import make_reader

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RELAY = Path("/usr/lib/topic_tools/relay")
NODES = Path(__file__).with_name("replay_nodes.py")
DEBIAN_MODULES = "/usr/lib/python3/dist-packages"
WIRECOST = Path(sys.executable).with_name("wirecost")

pytestmark = pytest.mark.skipif(
    not (RELAY.exists() and Path("/usr/bin/roscore").exists()),
    reason="needs roscore, rospy and topic-tools of Debian",
)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A master, a source, Debian's relay and a node with a section; their environment."""
    folder = tmp_path_factory.mktemp("ros")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    environment = {
        **os.environ,
        "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
        "ROS_HOSTNAME": "127.0.0.1",
        "ROS_IP": "127.0.0.1",
        "ROS_HOME": str(folder),
        "ROS_LOG_DIR": str(folder),
        "PATH": f"/usr/bin:{os.environ['PATH']}",
    }
    node = [sys.executable, str(NODES)]
    python = environment | {"PYTHONPATH": DEBIAN_MODULES}
    started: list[subprocess.Popen[bytes]] = []

    def start(command: list[str], variables: dict[str, str]) -> None:
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    command, env=variables, stdout=log, stderr=log, start_new_session=True
                )
            )

    try:
        start(["/usr/bin/roscore", "-p", str(port)], environment)
        master = xmlrpc.client.ServerProxy(environment["ROS_MASTER_URI"])
        _until(lambda: master.getPid("/test")[0] == 1)
        master.setParam("/test", "/doubler/gain", 2)
        start([*node, "doubler"], python)
        start([str(RELAY), "/in", "/out", "__name:=relay"], environment)
        start([*node, "source"], python)
        _until(lambda: {"/out", "/doubled", "/in"} <= _published(master))
        yield environment
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGINT)
        for process in reversed(started):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _published(master: Any) -> set[str]:
    return {name for name, _ in master.getSystemState("/test")[2][0]}


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if condition():
                return
        except (OSError, xmlrpc.client.Error):
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _wirecost(system: dict[str, str], *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(WIRECOST), *map(str, words)]
    return subprocess.run(
        command, env=system, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_relay_relays_the_same_again(system: dict[str, str], tmp_path: Path) -> None:
    folder, out = tmp_path / "relay", tmp_path / "out"
    done = _wirecost(system, "record", "/relay", "--for", "2", "--out", folder, "--json", "-")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["pid_found"] == "slave API"
    assert {(one["name"], one["role"]) for one in told["topics"]} == {
        ("/in", "input"),
        ("/out", "output"),
    }
    with (folder / "recording.mcap").open("rb") as file:
        found = [(s, c, m) for s, c, m in make_reader(file).iter_messages(topics=["/in"])]
    schema, channel, _ = found[0]
    assert schema is not None
    assert schema.name == "std_msgs/Header"
    assert b"time stamp" in schema.data
    assert channel.metadata["md5sum"] == "2176decaecbce78abc3b96ef049fabed"
    assert len(found) > 20
    done = _wirecost(system, "replay", folder, "--repeat", "2", "--out", out, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [one["difference"] for one in result["equality"]] == [None, None]
    assert result["equality"][0]["messages"] == len(found)
    assert result["rules"] == {"/out": {"stamp": 2 * len(found)}}
    assert (out / "report.html").stat().st_size > 100_000
    assert [run["outputs"] for run in result["repeats"]] == [len(found)] * 2
    shown = _wirecost(system, "report", out, "--format", "md")
    assert shown.returncode == 0, shown.stderr
    assert "within 200 µs" in (out / "report.md").read_text()


def test_a_node_with_a_map_a_service_and_a_section(system: dict[str, str], tmp_path: Path) -> None:
    folder, out = tmp_path / "doubler", tmp_path / "out"
    done = _wirecost(system, "record", "/doubler", "--for", "3", "--out", folder)
    assert done.returncode == 0, done.stderr
    done = _wirecost(system, "replay", folder, "--out", out, "--json", "-", "--cpu", "0")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    counts = {row["stage"]: row["n"] for row in result["rows"]}
    assert counts["turnaround"] == counts["latency"] > 40
    outputs = pl.read_parquet(out / "outputs.parquet")
    assert outputs["rule"].unique().to_list() == ["stamp"]
    assert outputs["index"].to_list() == outputs["input_index"].to_list()
    node = json.loads((folder / "node.json").read_text())
    assert node["parameters"]["/doubler/gain"] == 2
    assert {"/count"} <= {one["name"] for one in node["provides"]}
    with (folder / "recording.mcap").open("rb") as file:
        calls = list(make_reader(file).iter_messages(topics=["/count/_call"]))
    assert 2 <= len(calls) <= 8
    # The node began to count anew: it was really asked, and said so.
    assert any("/count replied otherwise than recorded" in note for note in result["notes"])


def test_a_killed_recorder_leaves_a_recording_and_a_working_system(
    system: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    command = [str(WIRECOST), "record", "/doubler", "--out", str(folder)]
    with subprocess.Popen(command, env=system, stdout=subprocess.DEVNULL) as recorder:
        path = folder / "recording.mcap"
        _until(lambda: path.exists() and path.stat().st_size > 5000)
        recorder.kill()
    done = _wirecost(system, "replay", folder, "--out", tmp_path / "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "recording.mcap is cut or damaged" in (tmp_path / "out" / "meta.json").read_text()
    again = _wirecost(system, "record", "/doubler", "--for", "2", "--out", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    with (tmp_path / "again" / "recording.mcap").open("rb") as file:
        assert list(make_reader(file).iter_messages(topics=["/count/_call"]))


def test_what_is_not_there_is_one_line(system: dict[str, str], tmp_path: Path) -> None:
    done = _wirecost(system, "record", "/relai", "--out", tmp_path / "a")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "/relay" in done.stderr
    nowhere = system | {"ROS_MASTER_URI": "http://127.0.0.1:1"}
    done = _wirecost(nowhere, "record", "/relay", "--out", tmp_path / "b")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "ROS_MASTER_URI" in done.stderr
    done = _wirecost(system, "replay", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "not a recording" in done.stderr
    assert not (tmp_path / "a").exists()
