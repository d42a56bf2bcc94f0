# SPDX-License-Identifier: Apache-2.0
"""Names of a schema are names and nothing else, or are refused in one line; nothing is written."""

from __future__ import annotations

import builtins
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2 as pb
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from support import wide_schemas
from support.compiled import compile_python
from support.programs import JAVAC
from wirecost.cli import app
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.distinct import Distinct
from wirecost.schema.compile.frontends.checked import (
    LONGEST,
    LONGEST_TEXT,
    refuse_bad_names,
    refuse_long_values,
)
from wirecost.schema.compile.schema import Enum, EnumValue, Field, File, Kind, Message
from wirecost.system.errors import UserError

CODE = 'x\nint evil = std::system("touch pwned");//'


def described(path: Path, *files: pb.FileDescriptorProto) -> Path:
    path.write_bytes(pb.FileDescriptorSet(file=files).SerializeToString())
    return path


def command(path: Path, out: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "wirecost", "compile", str(path), "--out", str(out)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "name",
    [
        CODE,
        "a\\u000aclass Evil {}.proto",
        "../a.proto",
        "a/../../b.proto",
        "/etc/a.proto",
        "a//b.proto",
        "./a.proto",
        "a\u202eb.proto",
        "a\x1b[2J.proto",
        "a\u2028b.proto",
    ],
)
def test_a_files_name_is_a_relative_path_of_visible_characters(name: str, tmp_path: Path):
    path = described(tmp_path / "x.fds", pb.FileDescriptorProto(name=name, syntax="proto3"))
    done = command(path, tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and done.stderr[:-1].isprintable()
    assert done.stderr.startswith(f"wirecost: {path}: error: `")
    assert "no name of" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["x.fds"]


GOOD = File(
    "a.proto",
    "p.q",
    (Message("p.q.M", (Field("f", 1, Kind.INT32, oneof="o"),), ("o",)),),
    (Enum("p.q.E", (EnumValue("V", 0),)),),
)
BAD = ["", "a b", "a-b", "1a", "a.b", "ä", CODE, "a\n", "a" * (LONGEST + 1), "a;", "a\0"]


@pytest.mark.parametrize("name", BAD)
def test_other_names_are_identifiers(name: str):
    refuse_bad_names([GOOD], "x.fds")
    (message,), (enum,) = GOOD.messages, GOOD.enums
    changed: list[tuple[str, File]] = [
        ("a message", replace(GOOD, messages=(replace(message, full_name=f"p.q.{name}"),))),
        ("an enum", replace(GOOD, enums=(replace(enum, full_name=f"p.q.{name}"),))),
        ("a field", _with_field(Field(name, 1, Kind.INT32))),
        ("a oneof", replace(GOOD, messages=(replace(message, oneofs=(name,)),))),
        ("an enum's value", replace(GOOD, enums=(replace(enum, values=(EnumValue(name, 0),)),))),
    ]
    if name not in ("", "a.b"):
        changed.append(("a package", replace(GOOD, package=f"p.{name}", messages=(), enums=())))
    for what, file in changed:
        if name == "a.b" and what in ("a message", "an enum"):
            continue  # a nested one
        with pytest.raises(UserError) as caught:
            refuse_bad_names([file], "x.fds")
        said = str(caught.value)
        assert said.isprintable() and len(said) < 2000
        assert f"name of {what}" in said and "; take letters" in said and "x.fds" in said


def _with_field(item: Field) -> File:
    return replace(GOOD, messages=(Message("p.q.M", (item,)),))


def test_values_that_are_too_long():
    for value in ("x" * (LONGEST_TEXT + 1), b"x" * (LONGEST_TEXT + 1)):
        with pytest.raises(UserError, match="the value of f is longer than 30000 bytes; shorten"):
            refuse_long_values([_with_field(Field("f", 1, Kind.STRING, default=value))])


def test_nested_types_that_lie_on_others(tmp_path: Path):
    file = pb.FileDescriptorProto(name="a.proto", package="p", syntax="proto3")
    file.message_type.add(name="A").nested_type.add(name="B")
    file.message_type.add(name="A_B")
    path = described(tmp_path / "x.fds", file)
    with pytest.raises(UserError, match=r"becomes A_B, as p.* does; rename one of the two"):
        compile_schema([str(path)], ["cpp"], Request(("protobuf",)))


def _field(**changes: Any) -> pb.FileDescriptorProto:
    file = pb.FileDescriptorProto(name="a.proto", package="p", syntax="proto2")
    message = file.message_type.add(name="M")
    field = message.field.add(name="f", number=1, label=1, type=pb.FieldDescriptorProto.TYPE_INT32)
    for name, value in changes.items():
        setattr(field, name, value)
    return file


@pytest.mark.parametrize(
    "file",
    [
        _field(type=pb.FieldDescriptorProto.TYPE_MESSAGE, type_name="M"),
        _field(type=pb.FieldDescriptorProto.TYPE_MESSAGE, type_name=".p.Nothing"),
        _field(type=pb.FieldDescriptorProto.TYPE_ENUM, type_name=".p.M"),
        _field(default_value="no number"),
        _field(default_value="99999999999"),
        _field(name="a\nb"),
    ],
    ids=["relative", "nothing", "no enum", "no number", "too large", "no name"],
)
def test_descriptors_that_protoc_does_not_write(file: pb.FileDescriptorProto, tmp_path: Path):
    with pytest.raises(UserError) as caught:
        frontends.load([str(described(tmp_path / "x.fds", file))])
    assert str(caught.value).isprintable()


def test_descriptors_whose_text_is_none(tmp_path: Path):
    path = described(tmp_path / "x.fds", _field(name="abcd"))
    path.write_bytes(path.read_bytes().replace(b"abcd", b"ab\xff\xfe"))
    with pytest.raises(UserError, match=r"^[^\n]+; [^\n]+$"):
        frontends.load([str(path)])


def test_a_pipe_is_no_descriptor_set(tmp_path: Path):
    path = tmp_path / "x.fds"
    os.mkfifo(path)
    with pytest.raises(UserError, match=r"x\.fds: error: not a file; name a descriptor set"):
        frontends.load([str(path)])


OURS = """_ __ __init__ __class__ __dict__ __slots__ _536 _Struct _array _field _t mro name self cls
m data pos end depth budget parts tag n high key value unknown_fields"""
USED = sorted(
    {*keyword.kwlist, *keyword.softkwlist, *re.findall(r"\w+", OURS)}
    | {name for name in dir(builtins) if name[0] != "_"}
)


def test_python_takes_any_names(tmp_path: Path):
    """Messages, fields, oneofs and values of enums may have any name."""
    kinds = pb.FieldDescriptorProto
    file = pb.FileDescriptorProto(name="n.proto", package="names", syntax="proto3")
    fields = [file.message_type.add(name=f"Fields{i}") for i in range(4)]
    enum = file.message_type.add(name="Holder").enum_type.add(name="Values")
    enum.value.add(name="NONE_AT_ALL", number=0)
    for i, name in enumerate(USED):
        unlike = fields[i % 4]  # names that differ in case only are one in JSON
        if name.replace("_", "").lower() not in {
            f.name.replace("_", "").lower() for f in unlike.field
        }:
            wide_schemas._add(unlike, name, kinds.TYPE_DOUBLE, 1 + 2 * (i // 4 % 2))
        message = file.message_type.add(name=name)
        message.oneof_decl.add(name=name if name != "aa" else "bb")
        wide_schemas._add(message, "aa", kinds.TYPE_STRING, 1)
        message.field[0].oneof_index = 0
        wide_schemas._add(message, "others", kinds.TYPE_MESSAGE, 3, f".names.{USED[i - 1]}")
        enum.value.add(name=name, number=i + 1)
    module = compile_python([str(described(tmp_path / "n.fds", file))])("names.n")
    classes = [
        c for c in vars(module).values() if isinstance(c, type) and hasattr(c, "decode_ros1")
    ]
    assert len(classes) == len(USED) + 5
    assert len(module.Holder_Values) == len(USED) + 1
    for cls in classes:
        for wire in ("protobuf", "ros1", "cdr"):
            data = getattr(cls(), f"encode_{wire}")()
            assert getattr(cls, f"decode_{wire}")(data) == cls()


def test_names_that_are_taken_get_marks_and_then_numbers():
    unique = Distinct(["a"])
    assert [unique("a") for _ in range(5)] == ["a_", "a__", "a___", "a_4", "a_5"]
    assert [unique("b") for _ in range(2)] == ["b", "b_"]
    unalike = Distinct(key=str.lower, mark="x")
    assert [unalike("A"), unalike("a"), unalike("Ax")] == ["A", "ax", "Axx"]


def test_fields_with_the_name_of_their_message_or_of_another_class(tmp_path: Path) -> None:
    """C++ takes a member of its class's name for a constructor, Java a field for the class."""
    path = tmp_path / "n.proto"
    path.write_text(
        'syntax = "proto3"; package n;\n'
        "message Integer { int32 Integer = 1; }\n"
        "message plain { int32 plain = 1; repeated string texts = 2; }\n"
        "message vector { repeated vector vector = 1; plain plain = 2; map<int32, plain> m = 3; }\n"
        "message int { repeated int int = 1; oneof chosen { string text = 2; Integer i = 3; } }\n"
        "message chosen { oneof chosen { chosen one = 1; vector vector = 2; } }\n"
    )
    request = Request(("protobuf",), protobuf_api=True, json=True)
    write(compile_schema([str(path)], ["cpp", "java"], request), tmp_path)
    (tmp_path / "n.cpp").write_text('#include "n/n.protobuf.hpp"\n#include "n/n.json.hpp"\n')
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{tmp_path / 'cpp'}"]
    subprocess.run([*command, tmp_path / "n.cpp", tmp_path / "cpp" / "n.pb.cc"], check=True)
    sources = (tmp_path / "java").rglob("*.java")
    subprocess.run([*JAVAC, "-d", tmp_path / "classes", *sources], check=True)


@pytest.mark.parametrize("wire", ["protobuf", "cdr"])
def test_the_command_ends_with_header_message_and_call(wire: str, tmp_path: Path) -> None:
    path = tmp_path / "fleet.proto"
    path.write_text(
        'syntax = "proto3"; package a.b;'
        "message Fleet { repeated Part parts = 1; } message Part { int32 id = 1; }"
    )
    words = ["compile", str(path), "--lang", "cpp,python", "--wire", wire, "--out", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    include, declared, call = done.output.splitlines()[-3:]
    name = include.split('"')[1]
    text = (tmp_path / "cpp" / name).read_text()
    assert f"namespace wire::a::b::{wire} {{" in text and "encode(const Fleet& m," in text
    assert declared.startswith("wire::a::b::Fleet m;")
    assert f" = wire::a::b::{wire}::encode(m, buffer);" in call


def test_the_command_prints_no_call_without_c_plus_plus(tmp_path: Path) -> None:
    path = tmp_path / "fleet.proto"
    path.write_text('syntax = "proto3"; message Fleet { int32 id = 1; }')
    words = ["compile", str(path), "--lang", "python", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    assert len(done.output.splitlines()) == 1


HARD_NAMES = """syntax = "proto2";
package acme;
message wire { optional int32 q = 1; }
message wire_ { optional int32 q = 1; }
message java { optional int32 q = 1; }
message Y { optional int32 top = 1; }
message State { enum State { OFF = 0; ON = 1; } optional State state = 1; }
message Node {
  message Node { message Node { optional Y y = 1; } optional int32 id = 1; }
  optional Node inner = 1;
}
message X {
  message Y { optional string s = 1; }
  optional .acme.Y y = 1; optional Y z = 2; repeated .acme.Y many = 3;
}
message D { message x_default {} optional int32 x = 1 [default = 3]; optional x_default y = 2; }
message O { message o_a {} oneof o { int32 a = 1; string b = 2; } optional o_a c = 3; }
enum E { signed = 0; assert = 1; SIGINT = 2; mro = 3; NAN = 4; valueOf = 5; ordinal = 6; }
message Other { optional wire w = 1; optional wire_ v = 2; optional java j = 3; repeated E e = 4;
"""
"""Names that hide others: of the namespace, of the message around, of what is generated beside."""
FIXED = "optional int32 signed_value = 5; }"
NASTY = re.findall(
    r"\w+",
    """EOF major minor errno stdin NULL unix linux assert signbit INT_MAX get_class hash_code notify
    wait clone finalize equals toString wire java std string vector class None self encode decode
    clear print size encode_protobuf decode_protobuf toProtobuf sizeProtobuf hashCode none orDefault
    unknown __init__ __class__ __slots__ __dict__ lambda import async True type list dict property
    namespace template operator auto int double final abstract synchronized Object String Integer
    List Map var record yield enum value has name mro dataclass m b p in at tag end item""",
)
"""Names that mean something in C++ (keywords, macros), Java or Python, or in what is generated."""
PACKAGES = ["", "acme", "wire", "wire.wire", "java.lang", "std", "unix.NULL", "class.int"]


def _alike(name: str) -> str:
    return name.replace("_", "").lower()


_names = st.lists(st.sampled_from(NASTY), min_size=3, max_size=8, unique_by=_alike)
_schemas = st.lists(
    st.tuples(st.sampled_from(PACKAGES), st.lists(_names, min_size=2, max_size=4)),
    min_size=4,
    max_size=4,
)


def _message(name: str, names: list[str]) -> str:
    """Return a message with nested types of its own name, and fields of the others' names."""
    first, *others = [other for other in names if _alike(other) != _alike(name)] or ["x"]
    fields = "".join(f"optional int32 {other} = {i};" for i, other in enumerate(others, 4))
    return (
        f"message {name} {{ message {name} {{ enum {name} {{ {first} = 0; {name}_1 = 1; }}"
        f" optional {name} x_0 = 1; repeated string x_1 = 2; }}"
        f" optional {name} {first} = 1; repeated {name} x_2 = 2; map<int32, {name}> x_3 = 3;"
        f" {fields} }}"
    )


@settings(max_examples=2, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(schemas=_schemas)
def test_hard_names_compile_in_each_language(schemas: list[tuple[str, list[list[str]]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {"hard.proto": HARD_NAMES + FIXED}
        for number, (package, messages) in enumerate(schemas):
            parts = [f"package {package};" if package else "", f"message File{number} {{}}"]
            outer = {names[0]: names[1:] for names in messages}
            alike = {_alike(key): key for key in outer}
            parts += [_message(f"{key}", outer[key]) for key in alike.values()]
            text = "".join(parts) if package else f"message Around{number} {{ {''.join(parts)} }}"
            files[f"nasty{number}.proto"] = f'syntax = "proto2"; {text}'
        _compile_in_each_language(folder, files)


def _compile_in_each_language(folder: Path, files: dict[str, str]) -> None:
    """Compile each file alone, as two may declare one name, and all their code at once."""
    for number, (name, text) in enumerate(files.items()):
        (folder / name).write_text(text)
        request = Request(("protobuf",), namespace=f"ours{number}" if number else "wire")
        texts = compile_schema([str(folder / name)], ["cpp", "java", "python"], request)
        write(texts, folder)
    headers = (folder / "cpp").rglob("*.protobuf.hpp")
    (folder / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in headers))
    modules = [path for path in (folder / "python").rglob("*.py") if "nasty" in path.name]
    names = [
        ".".join(path.relative_to(folder / "python").with_suffix("").parts) for path in modules
    ]
    assert len(names) == len(files) - 1
    imports = f"import importlib\nfor name in {names}: importlib.import_module(name)"
    java = [str(path) for path in (folder / "java").rglob("*.java")]
    commands = [
        ["g++", "-std=c++20", "-fsyntax-only", f"-I{folder}/cpp", str(folder / "all.cpp")],
        [*JAVAC, "-nowarn", "-d", str(folder / "classes"), *java],
        [sys.executable, "-c", imports],
    ]
    for command in commands:
        if shutil.which(command[0]) is None:
            continue
        done = subprocess.run(
            command, cwd=folder / "python", capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, f"{done.stderr[:3000]}\n{list(files.values())}"
