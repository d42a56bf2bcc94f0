# SPDX-License-Identifier: Apache-2.0
"""Dependencies of output: every schema that was read, as Make and Ninja understand it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.compiled import ROOT
from support.programs import execute
from support.ros_peers import write as write_package
from wirecost.schema.compile import frontends
from wirecost.schema.compile.depfile import dependencies
from wirecost.schema.compile.schema import File, Schema
from wirecost.system.errors import UserError

NAMES = ["plain", "with space", "c#d", "e$f", "g:h", "x: y", "i\\ j", "k\\l", "m%n", "ü"]
NINJA = """rule run
  command = ./run
  depfile = out.d
build out: run
"""
MAKEFILE = "out:\n\t@./run\n-include out.d\n"
RUN = "#!/bin/sh\necho ran >>log\ntouch out\n"


def schema_of(*sources: Path) -> Schema:
    return Schema((File("a.proto", "a", (), sources=sources),))


@pytest.mark.parametrize("tool", ["ninja", "make"])
def test_a_build_runs_again_for_each_file(tool: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}: apt install {tool}-build")
    sources = [Path("in: #1") / name for name in NAMES]
    (tmp_path / "in: #1").mkdir()
    for source in sources:
        (tmp_path / source).touch()
    (tmp_path / "out.d").write_text(dependencies([Path("out")], schema_of(*sources)))
    (tmp_path / "build.ninja").write_text(NINJA)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "run").chmod(0o755)
    builds = 0

    def runs() -> int:
        """Return how often the rule runs now."""
        nonlocal builds
        # Ninja takes the depfile away unless it is told to keep it.
        command = [tool, *(["-d", "keepdepfile"] if tool == "ninja" else [])]
        done = execute(command, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        before, builds = builds, len((tmp_path / "log").read_text().splitlines())
        return builds - before

    assert runs() == 1
    assert runs() == 0
    later = (tmp_path / "out").stat().st_mtime_ns
    for source in sources:
        later += 10**9
        os.utime(tmp_path / source, ns=(later, later))
        os.utime(tmp_path / "out", ns=(later - 1, later - 1))
        assert runs() == 1, source
        os.utime(tmp_path / "out", ns=(later, later))
    (tmp_path / sources[0]).unlink()
    runs()  # ends well


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\\", "\udcff"])
def test_names_that_no_depfile_can_hold(name: str) -> None:
    with pytest.raises(UserError, match="cannot stand in a depfile; rename it"):
        dependencies([Path("out")], schema_of(Path(name)))


def sources_of(*inputs: Path | str, include: tuple[Path, ...] = ()) -> set[Path]:
    schema = frontends.load([str(name) for name in inputs], include)
    return {path for file in schema.files for path in file.sources}


def test_imported_proto_files_are_found_where_they_were_read(tmp_path: Path) -> None:
    head = 'syntax = "proto3"; '
    write_package(
        tmp_path,
        {
            "main.proto": head + 'import "b/part.proto"; import "google/protobuf/any.proto";',
            "parts/b/part.proto": head + 'import "b/leaf.proto";',
            "parts/b/leaf.proto": head,
            "parts/b/other.proto": head,
        },
    )
    parts = tmp_path / "parts"
    read = sources_of(tmp_path / "main.proto", include=(parts,))
    assert read == {tmp_path / "main.proto", parts / "b" / "part.proto", parts / "b" / "leaf.proto"}


def test_messages_of_other_packages_and_manifests(tmp_path: Path) -> None:
    write_package(
        tmp_path,
        {
            "a_msgs/msg/A.msg": "b_msgs/B b\ntime stamp\n",
            "a_msgs/msg/Other.msg": "int32 x\n",
            "b_msgs/package.xml": "<package><name>b_msgs</name></package>",
            "b_msgs/msg/B.msg": "int32 x\n",
        },
    )
    names = ("a_msgs/msg/A.msg", "b_msgs/msg/B.msg", "b_msgs/package.xml")
    read = sources_of(tmp_path / names[0], include=(tmp_path,))
    assert read == {tmp_path / name for name in names}


def test_a_descriptor_set_and_a_module_are_their_own_sources(tmp_path: Path) -> None:
    (tmp_path / "a.proto").write_text('syntax = "proto3";')
    descriptors = tmp_path / "a.fds"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{tmp_path}"]
    subprocess.run([*command, f"--descriptor_set_out={descriptors}", "a.proto"], check=True)
    assert sources_of(descriptors) == {descriptors}
    (source,) = sources_of("google.protobuf.any_pb2")
    assert source.name == "any_pb2.py"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirecost", "compile", "a.proto", "--lang", "python", "--out"]
    return execute([*command, "gen", *arguments], cwd=folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.proto").write_text('syntax = "proto3"; package a; message A { int32 x = 1; }')
    return tmp_path


def test_every_file_depends_on_the_schemas(project: Path) -> None:
    assert run(project, "--depfile", "a.d").returncode == 0
    rule, _, phony = (project / "a.d").read_text().partition(": \\\n")
    listed = run(project, "--list").stdout.split()
    assert rule.split() == listed
    assert phony == "  a.proto\na.proto:\n"


def test_a_stamp_is_newer_whatever_has_changed(project: Path, snapshot: SnapshotAssertion) -> None:
    options = ("--depfile", "a.d", "--stamp", "a.stamp")
    assert run(project, *options).returncode == 0
    assert (project / "a.d").read_text() == snapshot
    times = {p: p.stat().st_mtime_ns for p in (project / "gen").rglob("*")}
    stamped = (project / "a.stamp").stat().st_mtime_ns
    assert stamped >= max(times.values())
    assert run(project, *options).returncode == 0
    assert {p: p.stat().st_mtime_ns for p in (project / "gen").rglob("*")} == times
    assert (project / "a.stamp").stat().st_mtime_ns > stamped


def test_a_fault_leaves_the_stamp_alone(project: Path) -> None:
    options = ("--depfile", "a.d", "--stamp", "a.stamp")
    assert run(project, *options).returncode == 0
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in project.glob("a.[ds]*")}
    assert len(before) == 2
    (project / "a.proto").write_text("message")
    assert run(project, *options).returncode == 2
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in project.glob("a.[ds]*")} == before


def test_the_rule_that_the_documentation_shows(tmp_path: Path) -> None:
    """Only what has changed is made again."""
    if shutil.which("make") is None:
        pytest.skip("no make: apt install make")
    text = (ROOT / "docs" / "compile.md").read_text()
    (tmp_path / "Makefile").write_text(text.partition("```make\n")[2].partition("```")[0])
    (tmp_path / "trip.proto").write_text('syntax = "proto3"; import "part.proto";')
    (tmp_path / "part.proto").write_text('syntax = "proto3"; message Part {}')
    program = Path(sys.executable).parent

    def made() -> str:
        path = f"{program}:{os.environ['PATH']}"
        done = execute(["make"], cwd=tmp_path, env={**os.environ, "PATH": path})
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert " files written" in made()
    assert "up to date" in made()
    (tmp_path / "part.proto").touch()
    assert " 0 files written" in made()
    assert "up to date" in made()
