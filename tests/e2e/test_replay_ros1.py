# SPDX-License-Identifier: Apache-2.0
"""Nodes of a running ROS 1 system are recorded, and replayed alone they do the same again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from mcap.reader import make_reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from support.ros1_system import MISSING, TOPIC_TOOLS, WIRECOST, Ros1System, ros1_system, until

pytestmark = pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ros1System]:
    """Start a source, Debian's relay and a node with a section."""
    with ros1_system(tmp_path_factory.mktemp("ros")) as made:
        made.master.setParam("/test", "/doubler/gain", 2)
        made.node("doubler")
        made.start(TOPIC_TOOLS / "relay", "/in", "/out", "__name:=relay")
        made.node("source")
        until(lambda: {"/out", "/doubled", "/in"} <= made.published())
        yield made


def test_a_relay_relays_the_same_again(system: Ros1System, tmp_path: Path) -> None:
    folder, out = tmp_path / "relay", tmp_path / "out"
    done = system.wirecost("record", "/relay", "--for", "2", "--out", folder, "--json", "-")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["pid_found"] == "slave API"
    assert {(one["name"], one["role"]) for one in report["topics"]} == {
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
    # Another implementation of the types reads the messages by the definition in the file.
    types = get_typestore(Stores.EMPTY)
    types.register(get_types_from_msg(schema.data.decode(), "std_msgs/msg/Header"))
    assert types.generate_msgdef("std_msgs/msg/Header")[1] == channel.metadata["md5sum"]
    read = [types.deserialize_ros1(m.data, "std_msgs/msg/Header") for _, _, m in found]
    numbers = [int(one.frame_id) for one in read]
    assert numbers == [*range(numbers[0], numbers[0] + len(found))]
    done = system.wirecost("replay", folder, "--repeat", "2", "--out", out, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [one["difference"] for one in result["equality"]] == [None, None]
    assert result["equality"][0]["messages"] == len(found)
    assert result["rules"] == {"/out": {"stamp": 2 * len(found)}}
    assert (out / "report.html").stat().st_size > 100_000
    assert [run["outputs"] for run in result["repeats"]] == [len(found)] * 2
    shown = system.wirecost("report", out, "--format", "md")
    assert shown.returncode == 0, shown.stderr
    assert "within 200 µs" in (out / "report.md").read_text()


def test_a_node_with_a_map_a_service_and_a_section(system: Ros1System, tmp_path: Path) -> None:
    folder, out = tmp_path / "doubler", tmp_path / "out"
    done = system.wirecost("record", "/doubler", "--for", "3", "--out", folder)
    assert done.returncode == 0, done.stderr
    done = system.wirecost("replay", folder, "--out", out, "--json", "-", "--cpu", "0")
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
    # The node began to count anew: it was really asked, and reported it.
    assert any("/count replied differently" in note for note in result["notes"])


def test_a_killed_recorder_leaves_a_recording_and_a_working_system(
    system: Ros1System, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    command = [str(WIRECOST), "record", "/doubler", "--out", str(folder)]
    with subprocess.Popen(command, env=system.environment, stdout=subprocess.DEVNULL) as recorder:
        path = folder / "recording.mcap"
        until(lambda: path.exists() and path.stat().st_size > 5000)
        recorder.kill()
    done = system.wirecost("replay", folder, "--out", tmp_path / "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "cut or damaged" in (tmp_path / "out" / "meta.json").read_text()
    again = system.wirecost("record", "/doubler", "--for", "2", "--out", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    with (tmp_path / "again" / "recording.mcap").open("rb") as file:
        assert list(make_reader(file).iter_messages(topics=["/count/_call"]))


OBSERVER = """
import json, os, pathlib, sys, time
target, *command = sys.argv[1:]
node = os.getpid()
if os.fork():
    os.execv(command[0], command)
def links(folder):
    for one in os.scandir(folder):
        try:
            yield os.readlink(one.path)
        except FileNotFoundError:  # The node closed it meanwhile.
            pass
while True:
    held = set(links(f"/proc/{node}/fd"))
    lines = pathlib.Path(f"/proc/{node}/net/tcp").read_text().splitlines()[1:]
    words = [line.split() for line in lines]
    listening = [w[1][:8] for w in words if w[3] == "0A" and f"socket:[{w[9]}]" in held]
    devices = pathlib.Path(f"/proc/{node}/net/dev").read_text().splitlines()[2:]
    found = {"listening": listening, "devices": [d.split(":")[0].strip() for d in devices]}
    if len(listening) > 1:
        pathlib.Path(target + ".new").write_text(json.dumps(found))
        os.rename(target + ".new", target)
    time.sleep(0.05)
"""
LOOPBACK, ANY = "0100007F", "00000000"


@pytest.mark.parametrize("own", [False, True])
def test_what_a_replayed_node_of_roscpp_opens(
    own: bool, system: Ros1System, tmp_path: Path
) -> None:
    if own and subprocess.run(["unshare", "--net", "true"], check=False).returncode != 0:
        pytest.skip("this kernel gives no network of one's own")
    folder, seen = tmp_path / "relay", tmp_path / "seen"
    # Long enough for the observer to look once on a busy machine.
    done = system.wirecost("record", "/relay", "--for", "4", "--out", folder)
    assert done.returncode == 0, done.stderr
    options = ["--own-network"] if own else []
    done = system.wirecost(
        "replay", folder, "--out", tmp_path / "out", "--no-report", *options, "--",
        sys.executable, "-c", OBSERVER, seen, TOPIC_TOOLS / "relay", "/in", "/out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(seen.read_text())
    # Messages by the variables of ROS on loopback; the port of XML-RPC is roscpp's own affair.
    assert sorted(found["listening"]) == [ANY, LOOPBACK]
    here = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    assert found["devices"] == (["lo"] if own else [line.split(":")[0].strip() for line in here])


def test_a_network_of_its_own_needs_root(system: Ros1System, tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    assert system.wirecost("record", "/relay", "--for", "1", "--out", folder).returncode == 0
    command = [str(WIRECOST), "replay", str(folder), "--own-network", "--out", str(tmp_path / "o")]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--own-network: Operation not" in done.stderr
    assert not (tmp_path / "o").exists()


def test_what_is_not_there_is_one_line(system: Ros1System, tmp_path: Path) -> None:
    done = system.wirecost("record", "/relai", "--out", tmp_path / "a")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "/relay" in done.stderr
    nowhere = {"ROS_MASTER_URI": "http://127.0.0.1:1"}
    done = system.wirecost("record", "/relay", "--out", tmp_path / "b", **nowhere)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "ROS_MASTER_URI" in done.stderr
    done = system.wirecost("replay", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "not a recording" in done.stderr
    assert not (tmp_path / "a").exists()
