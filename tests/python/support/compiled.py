# SPDX-License-Identifier: Apache-2.0
"""Schemas compiled to Python for the tests, Google's classes of them, and comparing both."""

from __future__ import annotations

import importlib
import itertools
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from support.random_protobuf import fill
from support.temporary import folder_until_exit
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

ROOT = Path(__file__).parents[3]
SCHEMAS = ROOT / "tests" / "conformance" / "schemas"
PROTOS = {
    "conformance.proto2": SCHEMAS / "every_type_proto2.proto",
    "conformance.proto3": SCHEMAS / "every_type_proto3.proto",
    "conformance.columns2": SCHEMAS / "columns_proto2.proto",
    "conformance.columns3": SCHEMAS / "columns_proto3.proto",
    "conformance.hollow": SCHEMAS / "hollow.proto",
    "conformance.parts": SCHEMAS / "parts.proto",
    "conformance": SCHEMAS / "chain.proto",
    "rsb.protocol": ROOT / "schemas" / "rsb" / "notification.proto",
    "bounds_msgs": ROOT / "tests" / "cpp" / "compile" / "bounds_msgs" / "msg" / "Bounded.msg",
}
"""Schemas by package."""

_numbers = itertools.count()


def compile_python(
    inputs: list[str],
    wires: tuple[str, ...] = ("protobuf", "ros1", "cdr"),
    preserve_unknown: bool = False,
    json: bool = False,
) -> Callable[[str], Any]:
    """``compile_python(inputs)("rsb.protocol.notification")``: a generated, imported module."""
    namespace = f"compiled{next(_numbers)}"
    folder = folder_until_exit()
    request = Request(wires, namespace, preserve_unknown, json=json)
    write(compile_schema(inputs, ["python"], request), folder)
    sys.path.insert(0, str(folder / "python"))
    return lambda module: importlib.import_module(f"{namespace}.{module}" if module else namespace)


@cache
def module_of(package: str, preserve_unknown: bool = False) -> Any:
    """Return the generated module of one of the test schemas, with all wires it can have."""
    path = PROTOS[package]
    wires = ("protobuf",) if path.stem == "chain" else ("protobuf", "ros1", "cdr")
    return compile_python([str(path)], wires, preserve_unknown)(module_name(package))


def module_name(package: str) -> str:
    """Return the module of a test schema below the namespace.

    Definitions of ROS share their package's."""
    path = PROTOS[package]
    return package if path.suffix == ".msg" else f"{package}.{path.stem}"


def holder_of(full_name: str) -> Any:
    package, _, name = full_name.rpartition(".")
    return getattr(module_of(package), name)


@cache
def google_class(full_name: str) -> type[Message]:
    """Google's class of a message of one of the test schemas."""
    path = PROTOS[full_name.rpartition(".")[0]]
    with tempfile.TemporaryDirectory() as folder:
        set_path = Path(folder) / "schema.fds"
        command = ["protoc", f"--descriptor_set_out={set_path}", f"-I{path.parent}", str(path)]
        subprocess.run(command, check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(set_path.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(full_name))


def random_message(full_name: str, seed: int, depth: int = 3) -> Message:
    """One of Google's with random content.

    Maps have one entry at most: upb orders entries in its own way and not by their keys.
    """
    message = fill(google_class(full_name)(), random.Random(seed), depth)
    _shorten_maps(message)
    return message


def _shorten_maps(message: Message) -> None:
    for field, value in message.ListFields():
        if _is_map(field):
            for key in sorted(value)[1:]:
                del value[key]
        if _value_type(field):
            inner = [value[key] for key in value] if _is_map(field) else value
            for part in inner if field.is_repeated else [inner]:
                _shorten_maps(part)


def differences(ours: Any, theirs: Message, path: str = "") -> list[str]:
    """Return where a decoded message of ours differs from Google's of the same bytes."""
    places: list[str] = []
    for field in theirs.DESCRIPTOR.fields:
        held, value = getattr(ours, attribute(field.name)), getattr(theirs, field.name)
        place = f"{path}.{field.name}"
        if field.has_presence and not theirs.HasField(field.name):
            places += [place] * (held is not None)
            continue
        pairs: list[tuple[Any, Any]] = [(held, value)]
        if _is_map(field):
            places += [place] * (sorted(held) != sorted(value))
            pairs = [(held[key], value[key]) for key in held if key in value]
        elif field.is_repeated:
            places += [place] * (len(held) != len(value))
            pairs = list(zip(held, value, strict=False))
        for our_value, other in pairs:
            if _value_type(field):
                places += differences(our_value, other, place)
            elif type(our_value) is not type(other) or str(our_value) != str(other):
                places.append(place)
    return places


def filled(theirs: Message, module: Any) -> Any:
    """Return a message of ours made by its constructor, with the content of one of Google's."""
    values: dict[str, Any] = {}
    for field, value in theirs.ListFields():
        inner = (lambda one: filled(one, module)) if _value_type(field) else lambda one: one
        if _is_map(field):
            content: Any = {key: inner(value[key]) for key in value}
        else:
            content = [inner(element) for element in value] if field.is_repeated else inner(value)
        values[attribute(field.name)] = content
    descriptor = theirs.DESCRIPTOR
    local = descriptor.full_name.removeprefix(f"{descriptor.file.package}.")
    return getattr(module, local.replace(".", "_"))(**values)


def attribute(name: str) -> str:
    return f"{name}_" if name in ("class", "import") else name


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def _value_type(field: FieldDescriptor) -> Any:
    """Return the message that a field, or a map's value, is; None for scalars."""
    if _is_map(field):
        return field.message_type.fields_by_name["value"].message_type
    return field.message_type
