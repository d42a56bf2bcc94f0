# SPDX-License-Identifier: Apache-2.0
"""The functions of each Python library for a message."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgpack

from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.python.code import is_time
from wirecost.schema.compile.emit.python.names import class_name, module_place

ROOT = "wire"
"""Package of our modules."""
OURS, NATIVE = "wirecost", "wirecost-native"
NEW, VIEW = "new", "view"
"""Modes: all have the first; ours also reads lists of bytes where they lie."""


@dataclass(frozen=True)
class MessageLibrary:
    """Functions and classes of a library.

    ``classes``: of the schema's messages, in their order; ``top``: the constructor that takes what
    was made, where one takes it all; ``again``: bytes for verification, None where what was read is
    compared itself.
    """

    encode: Callable[[Any], bytes | memoryview]
    decode: Callable[[Any], Any]
    again: Callable[[Any], bytes] | None = None
    classes: Sequence[Any] = ()
    top: Any = None
    into: Callable[[Any, memoryview], int] | None = None
    """Encodes into memory that is used again."""


def library(about: Subject, name: str, mode: str) -> MessageLibrary:
    """Return a library; ``name``: as contenders have it, or the path of a user's module."""
    if name in _OTHERS:
        return _OTHERS[name](about)
    is_ours = name.partition("-")[0] == OURS and not name.endswith(".py")
    classes = _dataclasses(about, f"{ROOT}_native" if name == NATIVE else ROOT)
    top = classes[_place(about)]
    again = getattr(top, f"encode_{about.wire}")
    if is_ours:
        wire = about.wire if name in (OURS, NATIVE) else name.partition("-")[2]
        encode, decode = getattr(top, f"encode_{wire}"), getattr(top, f"decode_{wire}")
        if mode == VIEW:
            into, views = getattr(top, f"encode_{wire}_into"), partial(decode, views=True)
            return MessageLibrary(encode, views, again, classes, into=into)
    else:
        users = _module(Path(name))
        encode, decode = users.encode, users.decode
    return MessageLibrary(encode, decode, again, classes)


def _place(about: Subject) -> int:
    return [message.full_name for message in about.schema.messages()].index(about.type)


def _dataclasses(about: Subject, root: str) -> list[Any]:
    classes = []
    for message in about.schema.messages():
        home = about.schema.home(message.full_name)
        module = importlib.import_module(".".join((root, *module_place(home).parts)))
        classes.append(getattr(module, class_name(home, message.full_name)))
    return classes


def _protobuf(about: Subject) -> MessageLibrary:
    classes = [about.class_of(message.full_name) for message in about.schema.messages()]
    top = classes[_place(about)]
    return MessageLibrary(
        top.SerializeToString, top.FromString, top.SerializeToString, classes, top
    )


def _json(_: Subject) -> MessageLibrary:
    compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
    return MessageLibrary(lambda message: compact(message).encode(), json.loads)


def _messagepack(_: Subject) -> MessageLibrary:
    def decode(data: bytes) -> Any:
        return msgpack.unpackb(data, strict_map_key=False)

    return MessageLibrary(msgpack.packb, decode)


def _rosbags(about: Subject) -> MessageLibrary:
    reader = about.ros
    assert reader is not None
    name = reader.name
    serialize = getattr(reader.store, f"serialize_{about.wire}")
    deserialize = getattr(reader.store, f"deserialize_{about.wire}")

    def encode(message: Any) -> bytes:
        return bytes(serialize(message, name))

    classes = [reader.kind(message) for message in about.schema.messages()]
    return MessageLibrary(encode, lambda data: deserialize(data, name), encode, classes)


def _genpy(about: Subject) -> MessageLibrary:
    genpy = importlib.import_module("genpy")
    dynamic = importlib.import_module("genpy.dynamic")
    assert about.ros is not None
    texts = dict(about.ros.definitions.texts)
    top = about.type.replace(".", "/")
    whole = "\n".join(
        [texts.pop(top), *(f"{'=' * 80}\nMSG: {name}\n{text}" for name, text in texts.items())]
    )
    generated = dynamic.generate_dynamic(top, whole)
    classes = [
        getattr(genpy, message.full_name.rpartition(".")[2])
        if is_time(message)
        else generated[message.full_name.replace(".", "/")]
        for message in about.schema.messages()
    ]
    kind = generated[top]

    def encode(message: Any) -> bytes:
        buffer = io.BytesIO()
        message.serialize(buffer)
        return buffer.getvalue()

    return MessageLibrary(encode, lambda data: kind().deserialize(data), encode, classes)


def _rclpy(about: Subject) -> MessageLibrary:
    serialization = importlib.import_module("rclpy.serialization")
    encode, decode = serialization.serialize_message, serialization.deserialize_message
    named = [message.full_name.rpartition(".") for message in about.schema.messages()]
    classes = [getattr(importlib.import_module(f"{name[0]}.msg"), name[2]) for name in named]
    top = classes[_place(about)]
    return MessageLibrary(encode, lambda data: decode(data, top), encode, classes)


_OTHERS: dict[str, Callable[[Subject], MessageLibrary]] = {
    "protobuf": _protobuf,
    "json": _json,
    "messagepack": _messagepack,
    "rosbags": _rosbags,
    "genpy": _genpy,
    "rclpy": _rclpy,
}


def _module(path: Path) -> Any:
    """Return a user's module, with ``encode`` and ``decode``."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        sys.exit(f"{path} is no Python module")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for name in ("encode", "decode"):
        if not callable(getattr(module, name, None)):
            sys.exit(f"{path} has no function {name}")
    return module
