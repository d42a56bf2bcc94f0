# SPDX-License-Identifier: Apache-2.0
"""Constructs of schemas that others wrote: each compiles, or a warning says what is left out."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2 as pb
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from syrupy.assertion import SnapshotAssertion

from support.compiled import SCHEMAS
from support.programs import JAVAC, execute
from support.ros_peers import write as write_package
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.schema import Field, Label, Presence
from wirecost.system.errors import UserError

EVERYTHING = Request(
    ("protobuf", "ros1", "cdr"),
    preserve_unknown=True,
    protobuf_api=True,
    api_namespace="facade",
    json=True,
)
CONSTRUCTS = [
    "recursive_maps",
    "captured_names",
    "names_alike",
    "comments",
    "editions_2023",
    "left_out",
]
EDITION = SCHEMAS / "editions_2023.proto"


@pytest.fixture(params=CONSTRUCTS)
def generated(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = SCHEMAS / f"{request.param}.proto"
    write(compile_schema([str(path)], ("cpp", "python", "java"), EVERYTHING), tmp_path)
    return tmp_path


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_cpp_compiles(generated: Path, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}: apt install {compiler.replace('++', '')}")
    folder = generated / "cpp" / "conformance"
    headers = [*sorted(folder.rglob("*.hpp")), *sorted(folder.rglob("*.pb.cc"))]
    assert len(headers) == 6
    unit = "".join(f'#include "{path.relative_to(generated / "cpp")}"\n' for path in headers)
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-"]
    command = [compiler, f"-I{generated / 'cpp'}", *flags]
    done = execute(command, input=unit)
    assert done.returncode == 0, done.stderr


def test_java_compiles(generated: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("no javac: apt install openjdk-17-jdk-headless")
    sources = [str(path) for path in (generated / "java").rglob("*.java")]
    command = [*JAVAC, "-Xlint:all", "-Werror"]
    command += ["-d", str(generated / "classes"), *sources]
    done = execute(command)
    assert done.returncode == 0, done.stderr


def test_python_is_imported(generated: Path) -> None:
    (module,) = (p for p in (generated / "python").rglob("conformance/*/*.py") if p.stem[0] != "_")
    name = ".".join(module.relative_to(generated / "python").with_suffix("").parts)
    command = [sys.executable, "-c", f"import {name}"]
    done = subprocess.run(command, cwd=generated / "python", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_features_of_editions_are_what_they_say() -> None:
    schema = frontends.load([str(EDITION)])
    fields = {f.name: f for f in schema.message("conformance.editions_2023.Choices").fields}

    def those(*names: str) -> list[Field]:
        return [fields[name] for name in names]

    assert [f.presence for f in those("implicit", "explicit", "required", "prefixed")] == [
        Presence.IMPLICIT,
        Presence.EXPLICIT,
        Presence.REQUIRED,
        Presence.EXPLICIT,
    ]
    assert fields["explicit"].default == 7
    assert [f.packed for f in those("packed", "expanded")] == [True, False]
    assert [f.utf8 for f in those("checked", "unchecked")] == [True, False]
    delimited = [f.name for f in fields.values() if f.group]
    assert delimited == ["delimited", "many", "inner"]
    assert fields["inners"].label is Label.MAP and not fields["inners"].value.group
    enums = {e.full_name.rpartition(".")[2]: e.closed for e in schema.files[-1].enums}
    assert enums == {"Open": False, "Closed": True}


def test_messages_of_editions_are_googles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(compile_schema([str(EDITION)], ("python",), Request(("protobuf",), "edition")), tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "python")
    ours = importlib.import_module("edition.conformance.editions_2023.editions_2023").Choices
    described = tmp_path / "set"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{SCHEMAS}"]
    command += [f"--descriptor_set_out={described}", EDITION.name]
    subprocess.run(command, check=True)
    (file,) = pb.FileDescriptorSet.FromString(described.read_bytes()).file
    pool = DescriptorPool()
    pool.Add(file)
    google = message_factory.GetMessageClass(
        pool.FindMessageTypeByName("conformance.editions_2023.Choices")
    )
    message = google(
        explicit=0, required=0, packed=[1, 200], expanded=[3, 4], checked="ä", unchecked="b",
        prefixed={"value": -3}, delimited={"value": 5}, many=[{}, {"value": 1}], open=9, closed=2,
        inners={"a": {"value": 2}}, inner={"value": -1},
    )  # fmt: skip
    data = message.SerializeToString(deterministic=True)
    parsed = ours.decode_protobuf(data)
    assert (parsed.explicit, parsed.many[1].value, parsed.inners["a"].value) == (0, 1, 2)
    assert parsed.encode_protobuf() == data
    assert google.FromString(ours(required=1).encode_protobuf()) == google(required=1)


def test_what_is_left_out_is_a_warning(snapshot: SnapshotAssertion) -> None:
    said: list[str] = []
    compile_schema(
        [str(SCHEMAS / "left_out.proto")],
        ("python",),
        Request(("protobuf",)),
        warn=lambda omission: said.append(str(omission)),
    )
    assert said == snapshot


def test_classes_of_cpp_alone_leave_only_services_out() -> None:
    said: list[str] = []
    compile_schema(
        [str(SCHEMAS / "left_out.proto")],
        ("cpp",),
        Request(("protobuf",), protobuf_api=True),
        warn=lambda omission: said.append(str(omission)),
    )
    assert ["service" in line for line in said] == [True]


@pytest.mark.parametrize(
    ("field", "is_held"),
    [
        ("double x", False),
        ("map<int32, google.protobuf.FieldOptions.CType> x", True),
        ("google.protobuf.FieldDescriptorProto x", True),
    ],
)
def test_headers_of_descriptors_are_included_where_a_message_holds_one(
    field: str, is_held: bool, tmp_path: Path
) -> None:
    """Options alone cost no user of the headers the time of compiling them."""
    label = "" if field.startswith("map") else "optional "
    path = tmp_path / "measured.proto"
    path.write_text(
        'syntax = "proto2"; import "google/protobuf/descriptor.proto";\n'
        "extend google.protobuf.FieldOptions { optional string unit = 50000; }\n"
        f'message Measured {{ {label}{field} = 1 [(unit) = "m"]; }}\n'
    )
    request = Request(("protobuf",), protobuf_api=True, api_namespace="facade", json=True)
    texts = compile_schema([str(path)], ("cpp",), request)
    own = [text for place, text in texts.items() if place.name.startswith("measured.")]
    assert len(own) == 5
    assert sum('#include "google/protobuf/descriptor' in text for text in own) == 3 * is_held


def test_the_command_prints_warnings(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wirecost", "compile", str(SCHEMAS / "left_out.proto")]
    done = execute([*words, "--lang", "python", "--out", str(tmp_path)])
    assert done.returncode == 0
    assert done.stderr.count(": warning: ") == 4


def test_ros_packages_as_they_are_found(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    write_package(
        tmp_path,
        {
            "parts_msgs/package.xml": "<package><name>parts_msgs</name></package>",
            "parts_msgs/msg/Part.msg": "int32[] sizes [1, 2]\nfloat64 price 1.5\n",
            "parts_msgs/msg/deep/Bolt.msg": "Part part\n",
            "parts_msgs/srv/Part.srv": "Bolt bolt\n---\nbool found\n",
        },
    )
    package = tmp_path / "parts_msgs"
    inputs = [*package.rglob("*.msg"), *package.rglob("*.srv")]
    said: list[str] = []
    texts = compile_schema(
        [str(path) for path in inputs],
        ("python",),
        Request(("cdr",)),
        dialect="ros2",
        warn=lambda omission: said.append(str(omission)),
    )
    names = {path.name for path in texts if "parts_msgs" in path.parts}
    assert names >= {"part.py", "bolt.py", "part_srv.py"}
    assert said == snapshot


def test_two_files_of_one_name_and_package(tmp_path: Path) -> None:
    for folder, name in (("a", "First"), ("b", "Second")):
        (tmp_path / folder).mkdir()
        text = f'syntax = "proto3";\npackage p;\nmessage {name} {{}}\n'
        (tmp_path / folder / "same.proto").write_text(text)
    inputs = [str(tmp_path / folder / "same.proto") for folder in "ab"]
    texts = compile_schema(inputs, ("cpp",), Request(("protobuf",)), include=[tmp_path])
    assert {"a_same.hpp", "b_same.hpp"} <= {path.name for path in texts}


@pytest.mark.parametrize("name", ["trip.proto3", "trip.proto"])
def test_proto_files_are_told_from_modules(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("trip").mkdir()
    Path("trip/__init__.py").touch()
    Path("trip/proto.py").write_text(
        "from google.protobuf.timestamp_pb2 import DESCRIPTOR  # noqa: F401\n"
    )
    if name == "trip.proto3":
        Path(name).write_text('syntax = "proto3";\nmessage Trip {}\n')
    schema = frontends.load([name])
    message = "Trip" if name == "trip.proto3" else "google.protobuf.Timestamp"
    assert [m.full_name for m in schema.messages()] == [message]
    for module in ("trip", "trip.proto"):
        sys.modules.pop(module, None)


def test_a_missing_proto_file_runs_no_module_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("trap.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(UserError, match=r"trap\.proto: error: no such file"):
        frontends.load(["trap.proto"])


def test_a_folder_called_srv_above_a_message_is_no_package(tmp_path: Path) -> None:
    write_package(tmp_path, {"srv/robot/Part.msg": "int32 size\n"})
    schema = frontends.load([str(tmp_path / "srv" / "robot" / "Part.msg")])
    assert [m.full_name for m in schema.messages()] == ["robot.Part"]
