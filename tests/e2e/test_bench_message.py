# SPDX-License-Identifier: Apache-2.0
"""`wirecost bench message` as a user calls it, with a schema that nobody has seen."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcap.writer import Writer
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficcommandupdate_pb2 import TrafficCommandUpdate
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.serializers.java.code import camel
from wirecost.schema.compile import frontends

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMON = """syntax = "proto3";
package acme;
message Point { double x = 1; double y = 2; }
"""
DRONE = """syntax = "proto3";
package acme.drone;
import "common.proto";
message State {
  string name = 1;
  repeated acme.Point path = 2;
  map<string, Status> class = 3;
  oneof import { int64 lambda = 4; bytes synchronized = 5; }
  State before = 6;
}
enum Status { UNKNOWN = 0; FLYING = 1; }
"""
FEW = ("--repetitions", "2", "--processes", "2")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schema")
    (folder / "imported").mkdir()
    (folder / "imported" / "common.proto").write_text(COMMON)
    (folder / "drone.proto").write_text(DRONE)
    return folder / "drone.proto"


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache of programs that has none yet, for a user's compiler."""
    monkeypatch.setenv("CXX", "c++")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def compiled(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use what a test before has compiled for the same schema, if there was one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))


@pytest.mark.usefixtures("compiled")
def test_a_schema_never_seen_is_measured_in_both_languages(
    wirecost: Run, schema: Path, tmp_path: Path
) -> None:
    out = tmp_path / "r"
    command = ("bench", "message", schema, "--type", "State", "-I", schema.parent / "imported")
    options = ("--elements", "path=60", "--jobs", "2", "--seed", "3", "--lang", "cpp,python")
    done = wirecost(*command, *options, *FEW, "--out", out, "--json", "-")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == []
    found = {(row["lang"], row["contender"], row["mode"]) for row in document["rows"]}
    assert {("cpp", "wirecost", mode) for mode in ("new", "reused", "view")} <= found
    assert {("cpp", "wirecost-classes", mode) for mode in ("new", "reused", "arena")} <= found
    assert {("cpp", "wirecost-columns", mode) for mode in ("view", "converted")} <= found
    assert {("python", name, "new") for name in ("wirecost", "protobuf", "json")} <= found
    if shutil.which("protoc"):
        assert {("cpp", "protobuf", mode) for mode in ("new", "reused", "arena")} <= found
    whole = [row for row in document["rows"] if row["variant"] == "all fields"]
    assert len({row["digest"] for row in whole}) == 1
    usual = {"wirecost", "wirecost-classes", "protobuf", "json"}
    assert len({row["bytes"] for row in whole if row["contender"] in usual}) == 2
    assert ("python", "messagepack", "new") in found
    for name, header in (("messagepack", "msgpack.hpp"), ("flatbuffers-table", "flatbuffers")):
        has = (Path("/usr/include") / header).exists()
        assert has == (("cpp", name, "reused") in found)
    meta = json.loads((out / "meta.json").read_text())
    assert sum(field["own"] for field in meta["fields"]) == meta["counted_bytes"]
    assert "path 60" in meta["content"]
    page = (out / "report.html").read_text()
    assert "path[]" in page and "reused, without path[]" in page

    again = wirecost("report", out)
    assert again.returncode == 0, again.stderr
    assert again.stdout == f"{out / 'report.html'}\n"


def test_programs_are_compiled_once(
    wirecost: Run, schema: Path, tmp_path: Path, cached: Path
) -> None:
    command = ("bench", "message", schema, "--type", "acme.drone.State", "--lang", "cpp", *FEW)
    command += ("--library", "wirecost")
    include = ("--include", schema.parent / "imported")
    first = wirecost(*command, *include, "--out", tmp_path / "a")
    assert first.returncode == 0, first.stderr
    assert "compiling" in first.stdout + first.stderr
    programs = {
        path: path.stat().st_mtime_ns for path in cached.rglob("wirecost") if path.is_file()
    }
    assert len(programs) == 1
    second = wirecost(*command, *include, "--out", tmp_path / "b")
    assert second.returncode == 0, second.stderr
    assert "compiling" not in second.stdout + second.stderr
    assert {path: path.stat().st_mtime_ns for path in programs} == programs


def test_messages_of_a_recording_bring_their_schema(
    wirecost: Run,
    tmp_path: Path,
    osi_recording: Path,
    snapshot: SnapshotAssertion,
) -> None:
    command = ("bench", "message", "--data", osi_recording, "--topic", "update")
    options = ("--first", "5", "--sample", "3", "--lang", "python")
    done = wirecost(*command, *options, *FEW, "--out", tmp_path / "r", "--json", "-")
    assert done.returncode == 0, done.stderr
    meta = json.loads((tmp_path / "r" / "meta.json").read_text())
    assert (meta["type"], meta["messages"]) == ("osi3.TrafficCommandUpdate", 3)
    assert meta["content"] == snapshot


@pytest.fixture
def osi_recording(tmp_path: Path) -> Path:
    """With two channels, so that one must be chosen."""
    descriptors = frontends.descriptors(["osi3"]).SerializeToString()
    path = tmp_path / "drive.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        for topic, made in (("update", TrafficCommandUpdate()), ("view", SensorView())):
            name = made.DESCRIPTOR.full_name
            schema = writer.register_schema(name, "protobuf", descriptors)
            channel = writer.register_channel(topic, "protobuf", schema)
            for number in range(8):
                made.timestamp.seconds = number
                writer.add_message(channel, number, made.SerializeToString(), number)
        writer.finish()
    return path


def test_a_missing_compiler_is_said(
    wirecost: Run,
    schema: Path,
    tmp_path: Path,
    cached: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    assert not cached.exists()
    monkeypatch.setenv("CXX", "/nowhere/c++")
    command = ("bench", "message", schema, "--type", "State", "-I", schema.parent / "imported")
    done = wirecost(*command, "--lang", "cpp", *FEW, "--out", tmp_path / "r")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == snapshot


MINE = """
struct Contender {
  std::span<const std::byte> encode(const wire::acme::drone::State& m, std::span<std::byte> out) {
    %s
    return wire::acme::drone::protobuf::encode(copy, out).bytes;
  }
  void decode(std::span<const std::byte> in, wire::acme::drone::State& m) {
    static_cast<void>(wire::acme::drone::protobuf::decode(in, m));
  }
};
"""
MODULE = """
from wire.acme.drone.drone import State

def encode(message):
    return b"mine" + message.encode_protobuf()

def decode(data):
    return State.decode_protobuf(data[4:])
"""


@pytest.mark.usefixtures("compiled")
def test_a_codec_of_the_user_s_is_verified_and_measured(
    wirecost: Run, schema: Path, tmp_path: Path
) -> None:
    (tmp_path / "whole.hpp").write_text(MINE % "const auto& copy = m;")
    (tmp_path / "drops.hpp").write_text(MINE % "auto copy = m; copy.name.clear();")
    (tmp_path / "marked.py").write_text(MODULE)
    command = ("bench", "message", schema, "--type", "State", "-I", schema.parent / "imported")
    files = [tmp_path / name for name in ("whole.hpp", "drops.hpp", "marked.py")]
    options = [word for path in files for word in ("--contender", path)]
    options += ["--library", "protobuf"]
    done = wirecost(*command, *options, *FEW, "--out", tmp_path / "r", "--json", "-")
    assert done.returncode == 1
    document: dict[str, Any] = json.loads(done.stdout)
    failed = {(one["contender"], one["mode"]): one["failure"] for one in document["failures"]}
    assert failed.keys() == {("drops", "new"), ("drops", "reused")}
    assert set(failed.values()) == {"message 0 as read has another name"}
    found = {(row["lang"], row["contender"], row["mode"]) for row in document["rows"]}
    assert {
        ("cpp", "whole", "new"),
        ("cpp", "whole", "reused"),
        ("python", "marked", "new"),
    } <= found
    sizes = {row["contender"]: row["bytes"] for row in document["rows"] if row["lang"] == "python"}
    assert sizes["marked"] == sizes["protobuf"] + 4


@pytest.mark.usefixtures("compiled")
def test_a_codec_that_does_not_compile_is_explained(
    wirecost: Run, schema: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.hpp").write_text("struct Contender { int encode; };")
    command = ("bench", "message", schema, "--type", "State", "-I", schema.parent / "imported")
    options = ("--contender", tmp_path / "mine.hpp", "--lang", "cpp", "--library", "wirecost")
    done = wirecost(*command, *options, *FEW, "--out", tmp_path / "r", "--json", "-")
    assert done.returncode == 0, done.stderr
    why = json.loads(done.stdout)["not_run"]["cpp mine"]
    assert "not compile" in why and "Contender has no" in why


@pytest.mark.usefixtures("compiled")
def test_java_takes_part_where_it_is_asked_for(wirecost: Run, schema: Path, tmp_path: Path) -> None:
    command = ("bench", "message", schema, "--type", "State", "-I", schema.parent / "imported")
    options = ("--lang", "java", "--repetitions", "1", "--processes", "1")
    done = wirecost(*command, *options, "--out", tmp_path / "r", "--json", "-")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == [] and document["not_run"] == {}
    found = {(row["contender"], row["mode"]) for row in document["rows"]}
    assert found == {
        ("wirecost", "new"),
        ("wirecost", "reused"),
        ("protobuf", "new"),
        ("protobuf", "reused"),
        ("protobuf", "best"),
    }
    assert len({row["bytes"] for row in document["rows"]}) == 1


def test_names_of_java_s_accessors_are_protoc_s() -> None:
    assert camel("sequence_number") == "SequenceNumber"
    assert camel("a1b") == "A1B"
    assert camel("class") == "Class_"
    assert camel("_x2_y") == "X2Y"
