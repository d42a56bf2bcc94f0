# SPDX-License-Identifier: Apache-2.0
"""Random messages of rosbags' types, their bytes, and their values as columns should have them."""

from __future__ import annotations

import keyword
import math
import random
import struct
from functools import cache
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore

from wirecost.data.messages.ros.definitions import RosDefinitions, short
from wirecost.data.messages.ros.stores import text_of
from wirecost.schema.compile.schema import Schema

STORES = {"ros1": Stores.ROS1_NOETIC, "ros2": Stores.ROS2_JAZZY}
TIMES = ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")
DUMMY = "structure_needs_at_least_one_member"


@cache
def store(dialect: str) -> Any:
    return get_typestore(STORES[dialect])


@cache
def types(dialect: str) -> list[str]:
    """Return the names of all types of a store that need no wide strings."""
    return [
        name
        for name, (_, fields) in store(dialect).fielddefs.items()
        if "wstring" not in str(fields) and name not in TIMES
    ]


@cache
def schema(dialect: str) -> Schema:
    """Return all types, compiled at once."""
    texts = {
        short(name): text_of(store(dialect).fielddefs[name][1], dialect) for name in types(dialect)
    }
    return RosDefinitions(dialect, texts).schema()


class RandomValues:
    """Messages of a store; ``longest``: most elements of a sequence, and bytes of a text."""

    def __init__(self, dialect: str, seed: int, longest: int = 3) -> None:
        self._random = random.Random(seed)
        self._store = store(dialect)
        self._longest = longest

    def message(self, name: str) -> Any:
        if name in TIMES:
            seconds = self._random.getrandbits(31)
            return self._store.types[name](seconds, self._random.randrange(10**9))
        fields = self._store.fielddefs[name][1]
        values = (0 if field == DUMMY else self._value(about) for field, about in fields)
        return self._store.types[name](*values)

    def _value(self, about: Any) -> Any:
        form, inner = about
        if form is Nodetype.BASE:
            return self._base(inner[0])
        if form is Nodetype.NAME:
            return self.message(inner)
        element, size = inner
        if form is Nodetype.SEQUENCE:
            size = self._random.randint(0, min(self._longest, size or self._longest))
        values = [self._value(element) for _ in range(size)]
        if element[0] is Nodetype.BASE and element[1][0] != "string":
            name = {"byte": "int8", "char": "uint8"}.get(element[1][0], element[1][0])
            return np.array(values, name)
        return values

    def _base(self, name: str) -> Any:
        if name == "string":
            return "".join(
                self._random.choices("abcµß語", k=self._random.randint(0, self._longest))
            )
        if name == "bool":
            return self._random.random() < 0.5
        if name.startswith("float"):
            numbers = (math.nan, math.inf, -0.0, 1.5, self._random.gauss(0, 1e6))
            return struct.unpack("<f", struct.pack("<f", self._random.choice(numbers)))[0]
        bits = 8 if name in ("byte", "char") else int(name.strip("uint"))
        signed = name == "byte" or name.startswith("int")
        number = self._random.getrandbits(bits)
        return number - (1 << bits) if signed and number >> (bits - 1) else number


def encoded(dialect: str, name: str, message: Any, order: str = "<") -> bytes:
    if dialect == "ros1":
        return bytes(store(dialect).serialize_ros1(message, name))
    return bytes(store(dialect).serialize_cdr(message, name, little_endian=order == "<"))


def expected(dialect: str, name: str, data: bytes) -> Any:
    """Return the values of a message by rosbags' decoder, times in nanoseconds."""
    read = store(dialect).deserialize_ros1 if dialect == "ros1" else store(dialect).deserialize_cdr
    return _plain(read(data, name), dialect)


def _plain(value: Any, dialect: str, *, is_byte: bool = False) -> Any:
    """``is_byte``: of the type whose sign rosbags has wrong in ROS 2."""
    if hasattr(value, "__msgtype__"):
        if value.__msgtype__ in TIMES:
            return int(value.sec) * 10**9 + int(value.nanosec)
        own = store(dialect).fielddefs[value.__msgtype__][1]
        # rosbags calls a field `class_` where the type has `class`.
        fields = {
            name: _plain(
                getattr(value, f"{name}_" if keyword.iskeyword(name) else name),
                dialect,
                is_byte=dialect == "ros2" and "'byte'" in str(about),
            )
            for name, about in own
            if name != DUMMY
        }
        return {name: field for name, field in fields.items() if field != {}}
    if isinstance(value, np.ndarray):
        return value.tobytes() if is_byte or value.dtype == np.uint8 else value.tolist()
    if isinstance(value, list):
        return [_plain(each, dialect) for each in value]
    return value & 0xFF if is_byte else value


def same(left: Any, right: Any) -> bool:
    """Return whether values are equal, bit for bit where they are floats."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack("<d", left) == struct.pack("<d", right)
    return type(left) is type(right) and left == right
