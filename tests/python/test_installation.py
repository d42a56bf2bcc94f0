# SPDX-License-Identifier: Apache-2.0
"""Description of an installation, and readers of schemas where Debian's protoc is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.programs import execute
from wirecost.cli import app
from wirecost.schema.compile.compiler import compile_schema
from wirecost.schema.compile.emit import Request
from wirecost.system import installation as module
from wirecost.system.errors import UserError
from wirecost.system.installation import Installation, installation

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "examples" / "consumers" / "state.proto"


def test_a_checkout_says_its_commit_of_now() -> None:
    here = installation()
    now = execute([ROOT / "setup" / "commit"], check=True)
    assert here.checkout == ROOT
    assert str(here).endswith(f"({now.stdout.strip()}, {here.compiler}, checkout {ROOT})")


def test_a_wheel_says_so(snapshot: SnapshotAssertion) -> None:
    wheel = Installation(Path("/w"), "1.2", "abc", "GNU 12", None)
    assert str(wheel) == snapshot


@pytest.mark.parametrize(
    ("option", "file"),
    [
        ("--cmake-dir", "wirecostConfig.cmake"),
        ("--include-dir", "wirecost/columns/view.hpp"),
        ("--pkgconfig-dir", "wirecost-probe.pc"),
    ],
)
def test_it_says_where_files_for_c_and_cpp_are(option: str, file: str) -> None:
    done = CliRunner().invoke(app, [option])
    assert done.exit_code == 0
    assert (Path(done.stdout.strip()) / file).is_file()


def test_a_damaged_installation_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Spec:
        origin = str(tmp_path / "_core.so")

    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: Spec)
    (tmp_path / "build.json").write_text("{")
    with pytest.raises(UserError, match=r"build\.json: .*install wirecost again"):
        installation.__wrapped__()


def test_an_archive_of_git_knows_its_commit(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        archive = ROOT
    else:
        archive = tmp_path
        tar = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", "archive", "HEAD", "setup"],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        subprocess.run(["tar", "-x"], input=tar.stdout, cwd=tmp_path, check=True)
    said = execute([archive / "setup" / "commit"], check=True)
    assert len(said.stdout.strip()) >= 7
    assert set(said.stdout.strip()) <= set("0123456789abcdef")


def test_the_listed_files_are_those_written(tmp_path: Path) -> None:
    command = ["compile", str(SCHEMA), "--lang", "cpp,java", "--out", str(tmp_path)]
    listed = CliRunner().invoke(app, [*command, "--list"])
    assert listed.exit_code == 0
    assert list(tmp_path.iterdir()) == []
    assert CliRunner().invoke(app, command).exit_code == 0
    written = {str(path) for path in tmp_path.rglob("*") if path.is_file()}
    assert set(listed.stdout.split()) == written


def test_python_has_a_protoc_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    request = Request(("protobuf",))
    usual = compile_schema([str(SCHEMA)], ["python"], request)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert compile_schema([str(SCHEMA)], ["python"], request) == usual
    broken = tmp_path / "broken.proto"
    broken.write_text('syntax = "proto3";\nmessage {}\n')
    with pytest.raises(Exception, match=r"broken\.proto:2:9: error: "):
        compile_schema([str(broken)], ["python"], request)


def test_no_protoc_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setitem(sys.modules, "grpc_tools", None)
    with pytest.raises(UserError, match="pip install grpcio-tools"):
        compile_schema([str(SCHEMA)], ["python"], Request(("protobuf",)))
