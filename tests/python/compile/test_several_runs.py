# SPDX-License-Identifier: Apache-2.0
"""Several runs into one folder: what the first wrote works after the last."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from support.programs import JAVAC, execute
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.schema import Omission
from wirecost.system.errors import UserError

COMMON = 'syntax = "proto3"; package c; message Common { string s = 1; }'
ONE = """syntax = "proto3"; package p; import "c/common.proto"; import "google/protobuf/any.proto";
message One { c.Common c = 1; optional int32 x = 2; google.protobuf.Any any = 3; }"""
TWO = """syntax = "proto3"; package q; import "c/common.proto"; import "google/protobuf/any.proto";
message Two { c.Common c = 1; google.protobuf.Any any = 2; }"""
PLAIN = Request(("protobuf",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "common.proto").write_text(COMMON)
    (tmp_path / "one.proto").write_text(ONE)
    (tmp_path / "two.proto").write_text(TWO)
    return tmp_path


def run(
    folder: Path, names: str, request: Request, languages: tuple[str, ...] = ("python",)
) -> list[Omission]:
    """Compile files below a folder into its ``out``; what is left out."""
    schema = frontends.load([str(folder / name) for name in names.split()], [folder])
    left_out: list[Omission] = []
    out = folder / "out"
    write(emitted(schema, languages, request, warn=left_out.append, out=out), out)
    return left_out


def python(folder: Path, code: str) -> str:
    line = f"import sys; sys.path.insert(0, {str(folder / 'out' / 'python')!r}); {code}"
    done = execute([sys.executable, "-c", line])
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def cpp(folder: Path, text: str) -> None:
    (folder / "main.cpp").write_text(text + "\nint main() {}\n")
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*command, f"-I{folder / 'out' / 'cpp'}", folder / "main.cpp"], check=True)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_other_schemas_with_other_wires(folder: Path, order: tuple[int, int]) -> None:
    """Both import a file, which the second run writes again."""
    languages = ("python", "java", "cpp")
    runs = [("one.proto", replace(PLAIN, preserve_unknown=True)), ("two.proto", Request(("ros1",)))]
    for i in order:
        run(folder, *runs[i], languages)
    written = python(
        folder,
        "from wire.p.one import One; from wire.q.two import Two; from wire.c.common import Common; "
        'c = Common("a"); print(One(c=c, x=1).encode_protobuf().hex(), Two(c=c).encode_ros1()[:5])',
    )
    assert written == "0a030a0161100" + "1 b'\\x01\\x00\\x00\\x00a'"
    java = [str(path) for path in (folder / "out" / "java").rglob("*.java")]
    subprocess.run([*JAVAC, "-d", str(folder / "classes"), *java], check=True)
    cpp(folder, '#include "p/one.protobuf.hpp"\n#include "q/two.ros1.hpp"')


def test_a_file_keeps_the_wires_that_it_had(folder: Path) -> None:
    run(folder, "one.proto", Request(("protobuf", "cdr"), json=True))
    run(folder, "one.proto", PLAIN)
    code = "from wire.p.one import One; print(One.encode_cdr and One(x=1).to_json())"
    assert python(folder, code) == '{"x":1}'


def test_a_wire_that_the_schema_no_longer_has_is_left_out_with_a_warning(folder: Path) -> None:
    path = folder / "tree.proto"
    path.write_text('syntax = "proto3"; package t; message Tree { int32 x = 1; }')
    run(folder, "tree.proto", Request(("ros1",)))
    path.write_text('syntax = "proto3"; package t; message Tree { int32 x = 1; Tree t = 2; }')
    (warning,) = run(folder, "tree.proto", PLAIN)
    assert "earlier run wrote" in str(warning)
    python(folder, "from wire.t.tree import Tree; Tree(1).encode_protobuf()")


def test_any_finds_the_messages_of_all_runs(folder: Path) -> None:
    for name in ("one.proto", "two.proto"):
        run(folder, name, replace(PLAIN, json=True))
    code = (
        "from wire.q.two import Two; from wire.google.protobuf.any import Any; print(Two(any=Any("
    )
    code += "'a/p.One', b'\\x10\\x07')).to_json())"
    assert '"@type":"a/p.One","x":7' in python(folder, code)


def test_any_finds_the_messages_of_all_runs_in_cpp(folder: Path) -> None:
    for name in ("two.proto", "one.proto", "two.proto"):
        run(folder, name, replace(PLAIN, json=True), ("cpp",))
    text = (folder / "out" / "cpp" / "json.types.hpp").read_text()
    held = [line.split('"')[1] for line in text.splitlines() if "wirecost::json::type<" in line]
    assert held == ["c.Common", "google.protobuf.Any", "p.One", "q.Two"]
    cpp(folder, '#include "json.types.hpp"\nauto& types = wire::json_types();')


def test_an_extension_has_the_messages_of_all_runs(folder: Path) -> None:
    for name in ("two.proto", "one.proto"):
        run(folder, name, replace(PLAIN, native=True), ("python", "cpp"))
    native = folder / "out" / "python" / "wire_native"
    project = (native / "CMakeLists.txt").read_text()
    source = (native / "native" / "_native.cpp").read_text()
    for name in ("p_one", "q_two", "c_common"):
        assert project.count(f"  native/{name}.cpp\n") == 1
        assert source.count(f'#include "{name}.hpp"\n') == 1
        assert source.count(f"native::add_{name}(") == 1


def test_a_package_of_ros_in_two_runs(folder: Path) -> None:
    msg = folder / "some_msgs" / "msg"
    msg.mkdir(parents=True)
    for name in ("A", "B"):
        (msg / f"{name}.msg").write_text("int32 x\n")
        run(folder, f"some_msgs/msg/{name}.msg", Request(("ros1",)))
    code = "from wire.some_msgs import A, B; print(A(1), B(2))"
    assert python(folder, code) == "A(x=1) B(x=2)"


def test_a_package_does_not_hide_a_module(folder: Path) -> None:
    outer = 'syntax = "proto3"; package p; message Outer { int32 x = 1; }'
    inner = 'syntax = "proto3"; package p.outer; message Inner { int32 y = 1; }'
    (folder / "outer.proto").write_text(outer)
    (folder / "inner.proto").write_text(inner)
    run(folder, "outer.proto", PLAIN)
    with pytest.raises(UserError, match=r"the package outer of another run would hide outer\.py; "):
        run(folder, "inner.proto", PLAIN)
    (folder / "out" / "python" / "wire" / "p" / "outer.py").unlink()
    run(folder, "inner.proto", PLAIN)
    with pytest.raises(UserError, match=r"would hide outer\.py; compile their schemas in one run"):
        run(folder, "outer.proto", PLAIN)
    run(folder, "inner.proto outer.proto", PLAIN)
    run(folder, "inner.proto", PLAIN)
    code = "from wire.p.outer import Outer; from wire.p.outer.inner import Inner; print(Outer(1))"
    assert python(folder, code) == "Outer(x=1)"


def test_files_may_be_more_than_a_process_may_open(folder: Path) -> None:
    command = f"ulimit -n 64 && {sys.executable} -m wirecost -q compile osi3 --lang python,java"
    done = execute(["bash", "-c", f"{command} --out {folder / 'out'}"])
    assert done.returncode == 0, done.stderr
    assert len([path for path in (folder / "out").rglob("*") if path.is_file()]) > 100
