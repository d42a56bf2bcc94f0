# SPDX-License-Identifier: Apache-2.0
"""Messages whose parts vary as those of real ones do, from which prices are learnt."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, subject
from wirecost.schema.compile import frontends
from wirecost.system import scratch

PACKAGE = "wirecost_spread"
MESSAGES = {
    "Stamp": ("int32 sec", "uint32 nanosec"),
    "Head": ("Stamp stamp", "string frame"),
    "Point": ("float64 x", "float64 y", "float64 z"),
    "Pose": ("Point position", "Point rotation"),
    "Cell": ("float32 value", "uint32 row", "uint32 column"),
    "Track": (
        "Head head", "Pose pose", "uint32 id", "int64 count", "float32 score", "bool valid",
        "string label",
    ),
    "Trace": ("float64[] values", "int32[] counts"),
    "Box": ("float64[9] rotation", "uint32[3] corners"),
    "Flags": ("bool a", "bool b", "uint32 c", "uint32 d", "int32 e", "int32 f"),
    "Spread": (
        "Head head", "Point[] points", "Pose[] poses", "Cell[] cells", "Track[] tracks",
        "Trace[] traces", "Box[] boxes", "Flags[] flags", "float64[] doubles", "float32[] floats",
        "uint32[] wholes", "string[] names", "uint8[] data",
    ),
}  # fmt: skip
"""Fields by message, as ROS writes them."""
TOP = "Spread"
"""The message whose lists have any length."""
LONGEST = {
    "points": 1000, "poses": 300, "cells": 1000, "tracks": 60, "traces": 60, "boxes": 300,
    "flags": 500, "doubles": 20_000, "floats": 40_000, "wholes": 10_000, "names": 300,
    "data": 1_000_000,
}  # fmt: skip
"""Most elements of the lists of the first one."""
LISTS = tuple(LONGEST)
LONGEST_TEXT = 60
_PROTOBUF = {"float64": "double", "float32": "float", "uint8": "bytes"}


def spread_subject(wire: str, top: str) -> Subject:
    """Return one of the messages on a wire."""
    if wire == "protobuf":
        with scratch.folder("spread") as folder:
            path = folder / "spread.proto"
            path.write_text(_proto(), encoding="utf-8")
            return subject(frontends.descriptors([str(path)]), PACKAGE, f"{PACKAGE}.{top}")
    dialect = "ros1" if wire == "ros1" else "ros2"
    texts = {
        f"{PACKAGE}/{name}": "".join(f"{line}\n" for line in lines)
        for name, lines in MESSAGES.items()
    }
    return ros_subject(RosDefinitions(dialect, texts, PACKAGE), PACKAGE, f"{PACKAGE}/{top}")


def _proto() -> str:
    messages = (
        f"message {name} {{\n{''.join(_fields(lines))}}}\n" for name, lines in MESSAGES.items()
    )
    return f'syntax = "proto3";\npackage {PACKAGE};\n{"".join(messages)}'


def _fields(lines: tuple[str, ...]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        kind, name = line.split()
        is_bytes = kind == "uint8[]"
        plain, is_list, _ = kind.partition("[")
        label = "repeated " if is_list and not is_bytes else ""
        yield f"  {label}{_PROTOBUF.get(plain, plain)} {name} = {number};\n"


def contents(about: Subject, count: int, seed: int) -> Iterator[list[bytes]]:
    """Yield contents of some messages each, whose lists and texts differ in length."""
    random = Random(seed)
    is_first = about.type.endswith(f".{TOP}")
    for number in range(count):
        lengths = dict.fromkeys(LISTS, 0) if is_first else {}
        for name in _chosen(random, number) if is_first else ():
            lengths[name] = max(1, round(LONGEST[name] ** random.random()))
        messages = made_up(about, lengths, random.randrange(1 << 30))
        yield [with_texts(about, data, random) for data in messages]


def _chosen(random: Random, number: int) -> list[str]:
    """Return the lists that have elements: first each alone, then several."""
    if number < len(LISTS):
        return [LISTS[number]]
    return random.sample(LISTS, random.randint(1, 4))


def with_texts(about: Subject, data: bytes, random: Random) -> bytes:
    """Return a message with texts of other lengths."""
    message = about.read(data)
    _lengthen(message, random.randint(0, LONGEST_TEXT), random)
    return about.write(message)


def _lengthen(message: Any, longest: int, random: Random) -> None:
    """Give all texts another length, up to that of this message's longest."""
    for field, value in message.ListFields():
        held = value if field.is_repeated else [value]
        if field.message_type is not None:
            for inner in held:
                _lengthen(inner, longest, random)
        elif field.type == field.TYPE_STRING:
            texts = ["x" * random.randint(0, longest) for _ in held]
            if field.is_repeated:
                value[:] = texts
            else:
                setattr(message, field.name, texts[0])
