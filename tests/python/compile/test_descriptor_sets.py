# SPDX-License-Identifier: Apache-2.0
"""Descriptor sets of other tools: their files in any order, twice, or not all there."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2 as pb
from syrupy.assertion import SnapshotAssertion

from wirecost.data.messages.subject import subject
from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import CompileError

NAMES = ("a.proto", "b.proto", "c.proto")


def chain() -> list[pb.FileDescriptorProto]:
    """Each file's message holds that of the file before it."""
    files = []
    for i, name in enumerate(NAMES):
        file = pb.FileDescriptorProto(name=name, package="p", syntax="proto3")
        message = file.message_type.add(name=f"M{i}")
        kind = pb.FieldDescriptorProto
        if i:
            file.dependency.append(NAMES[i - 1])
            before = message.field.add(name="m", number=1, label=1, type=kind.TYPE_MESSAGE)
            before.type_name = f".p.M{i - 1}"
        message.field.add(name="x", number=2, label=1, type=kind.TYPE_INT32)
        files.append(file)
    return files


def fault(files: list[pb.FileDescriptorProto]) -> str:
    """Return the one line that both readers of sets say: the compiler and the benchmark."""
    descriptors = pb.FileDescriptorSet(file=files)
    with pytest.raises(CompileError) as of_compiler:
        frontends.load_descriptors(descriptors, "a set")
    with pytest.raises(CompileError) as of_benchmark:
        subject(descriptors, "a set", "p.M2")
    assert str(of_compiler.value) == str(of_benchmark.value)
    assert "\n" not in str(of_compiler.value)
    return str(of_compiler.value)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_files_may_be_in_any_order(order: tuple[int, ...], tmp_path: Path) -> None:
    files = chain()
    descriptors = pb.FileDescriptorSet(file=[files[i] for i in order])
    path = tmp_path / "made.fds"
    path.write_bytes(descriptors.SerializeToString())
    assert [file.name for file in frontends.load([str(path)]).files] == list(NAMES)
    about = subject(frontends.descriptors([str(path)]), str(path), "p.M2")
    assert about.read(bytes.fromhex("0a021005")).m.x == 5


@pytest.mark.parametrize("suffix", [".pb", ".desc", ".binpb", ".protoset", ".bin"])
def test_sets_are_known_by_the_suffixes_of_other_tools(suffix: str, tmp_path: Path) -> None:
    path = (tmp_path / "made").with_suffix(suffix)
    path.write_bytes(pb.FileDescriptorSet(file=chain()).SerializeToString())
    assert [file.name for file in frontends.load([str(path)]).files] == list(NAMES)


def test_equal_files_are_one_and_keep_their_comments() -> None:
    files = chain()
    again = chain()
    again[0].source_code_info.location.add(path=[4, 0], leading_comments="What it is.")
    descriptors = pb.FileDescriptorSet(file=[*files, *reversed(again)])
    schema = frontends.load_descriptors(descriptors, "a set")
    assert [file.name for file in schema.files] == list(NAMES)
    assert [file.name for file in subject(descriptors, "a set", "M2").descriptors.file] == list(
        NAMES
    )
    assert schema.message("p.M0").comment == "What it is."


def test_two_files_of_one_name_are_refused(snapshot: SnapshotAssertion) -> None:
    other = chain()[0]
    other.message_type[0].field[0].number = 3
    assert fault([*chain(), other]) == snapshot


def test_googles_own_files_may_be_of_two_versions() -> None:
    first = pb.FileDescriptorProto(name="google/protobuf/empty.proto", package="google.protobuf")
    second = pb.FileDescriptorProto(name=first.name, package=first.package)
    for file in (first, second):
        file.message_type.add(name="Empty")
    second.options.java_package = "com.google.protobuf"
    descriptors = pb.FileDescriptorSet(file=[first, second])
    assert [file.name for file in frontends.load_descriptors(descriptors, "a set").files] == [
        first.name
    ]


def test_a_missing_import_and_a_circle_are_named(snapshot: SnapshotAssertion) -> None:
    files = chain()
    files[0].dependency.append("c.proto")
    assert {"missing": fault(chain()[1:]), "circle": fault(files)} == snapshot


def test_one_schema_may_be_given_as_a_file_a_set_and_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "given_in_three_forms"
    path = tmp_path / f"{name}.proto"
    path.write_text(
        'syntax = "proto3"; import "google/protobuf/timestamp.proto";\n'
        "// Comments and places are in the file only.\n"
        "message A { int32 two_words = 1; optional google.protobuf.Timestamp time = 2; }\n"
    )
    descriptor_set = tmp_path / f"{name}.fds"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{tmp_path}", "--include_imports"]
    command += [f"--python_out={tmp_path}", f"--descriptor_set_out={descriptor_set}", str(path)]
    subprocess.run(command, check=True)
    monkeypatch.syspath_prepend(tmp_path)
    schema = frontends.load([str(path), str(descriptor_set), f"{name}_pb2"])
    assert [file.name for file in schema.files] == ["google/protobuf/timestamp.proto", path.name]


def test_two_inputs_with_different_files_of_one_name_are_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    paths = []
    for folder, name in (("one", "x"), ("two", "y")):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "made.fds"
        file = chain()[0]
        file.message_type[0].field[0].name = name
        path.write_bytes(pb.FileDescriptorSet(file=[file]).SerializeToString())
        paths.append(str(path))
    assert len(frontends.load([paths[0], paths[0]]).files) == 1
    with pytest.raises(CompileError) as caught:
        frontends.load(paths)
    assert str(caught.value) == snapshot
