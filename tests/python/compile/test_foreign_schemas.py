# SPDX-License-Identifier: Apache-2.0
"""Whole sets of schemas that others wrote: they compile, and write the bytes that Google's do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import foreign
from support.again import Generated, check
from support.random_protobuf import fill
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import LANGUAGES, Request
from wirecost.schema.compile.schema import File, Omission

SAMPLES = 5
DEPTH = 2
MOST_FILES = 13
"""Of a type in C++: with all of the robot's files, the compiler takes minutes and gigabytes."""
CLASSES = 10
"""Types that are tried with Protobuf's interface, those that need the fewest files."""
IN_PART = {"foxglove_schemas_protobuf", "gtfs_realtime_bindings"}
"""Sets that compile in seconds; the others are thorough."""
SECTIONS = {"service", "extension"}

pytestmark = pytest.mark.skipif(
    not (foreign.FOLDER / ".complete").exists(),
    reason="no schemas of others: tests/conformance/foreign/fetch build/foreign",
)


@dataclass(frozen=True)
class ForeignSet:
    """A set that was compiled."""

    name: str
    code: Generated
    omissions: list[Omission]

    @property
    def types(self) -> list[str]:
        return list(foreign.classes(self.name))

    def files_of(self, *names: str) -> list[File]:
        """Return the files that messages' own need, themselves included."""
        files: dict[str, File] = {}
        waiting = [self.code.schema.home(name) for name in names]
        while waiting:
            file = waiting.pop()
            if file.name not in files:
                files[file.name] = file
                waiting += self.code.schema.imported(file)
        return list(files.values())

    def messages(self, names: Sequence[str]) -> list[tuple[str, bytes]]:
        """Google's, with random content."""
        full_names = []
        for name in names:
            google = foreign.classes(self.name)[name]
            for seed in range(SAMPLES):
                message = fill(google(), random.Random(f"{name}:{seed}"), DEPTH)
                full_names.append((name, message.SerializeToString(deterministic=True)))
        return full_names


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name in IN_PART else pytest.mark.thorough)
        for name in foreign.SETS
    ],
)
def compiled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ForeignSet:
    folder = tmp_path_factory.mktemp(request.param)
    root = foreign.FOLDER / request.param
    inputs = sorted(root.rglob("*.proto"))  # one has them, comments and all
    if not inputs:
        inputs = [folder / "set.fds"]
        inputs[0].write_bytes(foreign.descriptor_set(request.param).SerializeToString())
    schema = frontends.load([str(path) for path in inputs], [root])
    omissions: list[Omission] = []
    write(
        emitted(
            schema, LANGUAGES, Request(("protobuf",), protobuf_api=True), warn=omissions.append
        ),
        folder,
    )
    return ForeignSet(request.param, Generated(schema, folder, "protobuf"), omissions)


def test_there_are_messages_enough(compiled: ForeignSet) -> None:
    assert len(compiled.types) >= 20
    messages = compiled.messages(compiled.types)
    assert sum(len(data) > 10 for _, data in messages) > len(messages) // 3


def test_what_is_left_out_is_a_service_or_an_extension(compiled: ForeignSet) -> None:
    assert {omission.what.partition(" ")[0] for omission in compiled.omissions} <= SECTIONS


def test_python(compiled: ForeignSet) -> None:
    check(compiled.code.python(compiled.types), compiled.messages(compiled.types))


def test_cpp(compiled: ForeignSet, tmp_path: Path) -> None:
    types = [name for name in compiled.types if len(compiled.files_of(name)) <= MOST_FILES]
    assert len(types) >= 20
    check(compiled.code.cpp(types, tmp_path), compiled.messages(types))


def test_classes(compiled: ForeignSet, tmp_path: Path) -> None:
    types = sorted(compiled.types, key=lambda name: len(compiled.files_of(name)))[:CLASSES]
    files = compiled.files_of(*types)
    check(compiled.code.classes(types, files, tmp_path), compiled.messages(types))


def test_java(compiled: ForeignSet, tmp_path: Path) -> None:
    check(compiled.code.java(compiled.types, tmp_path), compiled.messages(compiled.types))
