# SPDX-License-Identifier: Apache-2.0
"""Faulty schemas get the error a compiler gives: place, what is wrong, what to do; no output."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest
from google.protobuf import descriptor_pb2 as pb
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from support.programs import execute
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.plan import protobuf
from wirecost.schema.compile.plan.sequential import Planner
from wirecost.schema.compile.plan.wires import SEQUENTIAL, WIRES
from wirecost.system.errors import UserError

INVALID = Path(__file__).parents[2] / "conformance" / "invalid"
SCHEMAS = sorted(p.name for p in INVALID.iterdir() if p.suffix != ".txt")
PROTO = 'syntax = "proto3";\npackage a;\n'


@pytest.fixture(autouse=True)
def _no_ros_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors list the folders that were searched."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


def fault(inputs: Sequence[str], wires: Sequence[str] = WIRES) -> str:
    """Return the error of the front half of the compiler: frontends and plans."""
    with pytest.raises(UserError) as caught:
        schema = frontends.load(inputs)
        for message in schema.messages():
            for wire in wires:
                if wire == "protobuf":
                    protobuf.plan(message)
                else:
                    Planner(schema, SEQUENTIAL[wire]).plan(message)
    return str(caught.value)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return execute([sys.executable, "-m", "wirecost", "compile", *arguments], cwd=cwd, timeout=60)


def protoc(folder: Path, name: str, *options: str) -> Path:
    path = folder / f"{name}.fds"
    subprocess.run(
        ["protoc", f"-I{folder}", f"--descriptor_set_out={path}", *options, f"{name}.proto"],
        check=True,
    )
    return path


def test_every_golden_error_has_its_schema() -> None:
    stems = {p.stem for p in INVALID.glob("*.txt")}
    assert stems == {Path(name).stem for name in SCHEMAS}
    assert len(stems) == len(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_golden_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(INVALID)
    golden = Path(name).with_suffix(".txt").read_text().splitlines()
    wires = list(WIRES)
    if golden[0].startswith("# wires: "):
        wires = golden.pop(0).removeprefix("# wires: ").split(",")
    (expected,) = golden
    assert fault([name], wires) == expected


@pytest.mark.parametrize("text", [b"a.proto", b"package", b"b.proto", b"Message", b"comment"])
def test_a_descriptors_text_that_is_not_utf_8_is_refused(
    text: bytes, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    file = pb.FileDescriptorProto(name="a.proto", package="package", dependency=["b.proto"])
    file.message_type.add(name="Message")
    file.source_code_info.location.add(path=[4, 0], leading_comments="comment")
    data = pb.FileDescriptorSet(file=[file]).SerializeToString()
    path = tmp_path / "made.fds"
    path.write_bytes(data.replace(text, b"\xff" * len(text)))
    assert fault([str(path)]) == snapshot


def test_a_recursive_message_is_no_fault_where_presence_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(INVALID)
    schema = frontends.load(["recursive.proto"])
    assert protobuf.plan(schema.message("Node")).items


def test_all_errors_have_the_form_of_a_compilers() -> None:
    form = re.compile(r"[^:]+(:\d+(:\d+)?)?: error: .+; .+")
    for path in INVALID.glob("*.txt"):
        assert form.fullmatch(path.read_text().splitlines()[-1]), path


def test_a_folder_that_protoc_cannot_be_told(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    (folder / "a.proto").write_text(PROTO)
    assert fault([str(folder / "a.proto")]) == snapshot
    done = run("a.proto", "--lang", "python", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr


def test_descriptor_sets_that_are_none(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    garbage = tmp_path / "garbage.fds"
    garbage.write_bytes(bytes(range(255, 0, -1)))
    assert fault([str(garbage)]) == snapshot
    garbage.write_bytes(b"")
    assert fault([str(garbage)]) == snapshot


def test_every_cut_of_a_descriptor_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.proto").write_text(PROTO + "message M { repeated M children = 1; }\n")
    descriptors = protoc(tmp_path, "a")
    whole = descriptors.read_bytes()
    assert [m.full_name for m in frontends.load([str(descriptors)]).messages()] == ["a.M"]
    for length in range(len(whole)):
        descriptors.write_bytes(whole[:length])
        assert fault([str(descriptors)])


def test_a_descriptor_set_that_refers_to_nothing(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "a.proto").write_text(PROTO + "message Mm {}\nmessage N { Mm m = 1; }\n")
    descriptors = protoc(tmp_path, "a")
    descriptors.write_bytes(descriptors.read_bytes().replace(b".a.Mm", b".a.Zz"))
    assert fault([str(descriptors)]) == snapshot


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("no_such_module_at_all", "cannot be imported"),
        ("json", "holds no Protobuf descriptors"),
        ("gone.proto", "gone.proto: error: no such file; "),
        ("gone.msg", "gone.msg: error: no such file; "),
        ("gone.fds", "gone.fds: error: No such file or directory; "),
        ("folder", "folder: error: a folder; "),
        ("folder.msg", "folder.msg: error: a folder; "),
        ("notes.md", "notes.md: error: not a kind of schema that is known; "),
        ("Walk.action", "Walk.action: error: actions are not supported; "),
        ("huge.msg", "huge.msg: error: larger than 1 MiB; "),
    ],
)
def test_inputs_that_are_no_schema(
    name: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "folder.msg"):
        Path(folder).mkdir()
    Path("notes.md").touch()
    Path("Walk.action").write_text("int32 goal\n---\n---\n")
    Path("huge.msg").write_text("# much\n" * 150_000)
    assert what in fault([name])


@pytest.mark.parametrize("wire", ["flatbuffers", "columns"])
def test_a_wire_that_cannot_hold_any_message_is_refused(wire: str) -> None:
    with pytest.raises(UserError, match=f"wire {wire}: there are protobuf, ros1, cdr"):
        compile_schema(["any.proto"], ["cpp"], Request((wire,)))


def test_an_unknown_dialect(tmp_path: Path) -> None:
    path = tmp_path / "X.msg"
    path.write_text("int32 x\n")
    with pytest.raises(UserError, match="--dialect ros3: there are ros1, ros2"):
        frontends.load([str(path)], dialect="ros3")


PLACED = re.compile(r"\S+X\.msg(:\d+){1,2}: error: .+; .+", re.DOTALL)
_PARTS = [*"#=[]<>/'\"-\\ \n\t", "---", "\r\n", "<=", "[<=", "\u2028", "\0", "é", "9" * 30, "0x1F"]
_WORDS = [
    "int32",
    "string",
    "bool",
    "float32",
    "time",
    "Header",
    "X",
    "a",
    "A",
    "true",
    "1e5",
    "nan",
]


@given(st.lists(st.sampled_from(_PARTS + _WORDS), max_size=40), st.sampled_from(["ros1", "ros2"]))
def test_any_text_is_read_or_refused_with_its_place(parts: list[str], dialect: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p" / "msg" / "X.msg"
        path.parent.mkdir(parents=True)
        path.write_bytes("".join(parts).encode())
        try:
            schema = frontends.load([str(path)], dialect=dialect)
        except UserError as error:
            assert PLACED.match(str(error))
        else:
            assert "p.X" in [m.full_name for m in schema.messages()]


def test_two_sources_of_one_output(tmp_path: Path) -> None:
    (tmp_path / "p" / "msg").mkdir(parents=True)
    for name in ("FooBar", "Foo_bar"):
        (tmp_path / "p" / "msg" / f"{name}.msg").write_text("int32 x\n")
    done = run("p/msg/FooBar.msg", "p/msg/Foo_bar.msg", "--out", "out", cwd=tmp_path)
    expected = (
        "wirecost: p/Foo_bar.msg: error: its output is p/foo_bar as that of p/FooBar.msg; "
        "rename one of the two or compile them apart\n"
    )
    assert (done.returncode, done.stderr) == (2, expected)
    assert not (tmp_path / "out").exists()


def test_a_message_that_two_files_declare(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    for name, text in {"msg/FooRequest.msg": "int32 x\n", "srv/Foo.srv": "---\n"}.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    inputs = [str(tmp_path / "p" / name) for name in ("msg/FooRequest.msg", "srv/Foo.srv")]
    assert fault(inputs) == snapshot


def everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
        for p in folder.rglob("*")
    }


def test_write_makes_all_files_and_then_leaves_them_alone(tmp_path: Path) -> None:
    texts = {PurePosixPath("cpp/a/b.hpp"): "b\n", PurePosixPath("java/C.java"): "µ\n"}
    assert len(write(texts, tmp_path)) == 2
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.*")}
    assert write(texts, tmp_path) == []
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.*")} == before


def test_write_replaces_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.hpp").write_bytes(b"\xff\xfe")
    assert write({PurePosixPath("a.hpp"): "a\n"}, tmp_path) == [tmp_path / "a.hpp"]
    assert (tmp_path / "a.hpp").read_text() == "a\n"


@pytest.mark.parametrize("obstacle", ["folder", "file"])
def test_write_makes_nothing_where_one_file_cannot_be_written(
    obstacle: str, tmp_path: Path
) -> None:
    texts = {
        PurePosixPath("a/first.hpp"): "new\n",
        PurePosixPath("kept.hpp"): "new\n",
        PurePosixPath("z/last.hpp"): "new\n",
    }
    (tmp_path / "kept.hpp").write_text("old\n")
    if obstacle == "folder":
        (tmp_path / "z" / "last.hpp").mkdir(parents=True)
    else:
        (tmp_path / "z").write_text("a file\n")
    before = everything(tmp_path)
    with pytest.raises(UserError, match="; name a writable folder with --out"):
        write(texts, tmp_path)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["duplicate_number.proto", "unknown_type.msg", "one_part.srv"])
def test_the_command_prints_one_line_and_writes_nothing(name: str, tmp_path: Path) -> None:
    done = run(name, "--out", str(tmp_path / "out"), cwd=INVALID)
    expected = (INVALID / name).with_suffix(".txt").read_text().splitlines()[-1]
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"wirecost: {expected}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_a_fault_of_the_last_wire_leaves_nothing(wire: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["recursive.proto", "--lang", "python", "--out", str(out), "--wire"]
    done = run(*arguments, f"protobuf,{wire}", cwd=INVALID)
    place = "wirecost: recursive.proto:5:3: error: Node.next contains its own message"
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(place)
    assert not out.exists()
    assert run(*arguments, "protobuf", cwd=INVALID).returncode == 0
    assert out.is_dir()


def test_one_faulty_input_spoils_all(tmp_path: Path) -> None:
    good = tmp_path / "good_msgs" / "msg" / "Good.msg"
    good.parent.mkdir(parents=True)
    good.write_text("int32 x\n")
    done = run(str(good), "unknown_type.msg", "--out", str(tmp_path / "out"), cwd=INVALID)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
