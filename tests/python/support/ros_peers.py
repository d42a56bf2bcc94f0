# SPDX-License-Identifier: Apache-2.0
"""Debian's ROS messages, and the same content in genpy's and rosbags' objects."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from support.random_messages import RandomMessages
from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import Kind, Label, MessageRef, Schema

PACKAGES = ("std_msgs", "geometry_msgs", "sensor_msgs")
DEBIAN = Path("/usr/share")
MESSAGES = [
    f"{package}.{path.stem}"
    for package in PACKAGES
    for path in sorted((DEBIAN / package / "msg").glob("*.msg"))
]
SAMPLES = 25

ROS2 = {
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "std_msgs/msg/Empty": "",
    "demo_msgs/msg/Sample": """
bool ready true
byte raw 0xff
char letter 65
int64 wide -9
""",
    "demo_msgs/msg/Everything": """
uint8 MOST = 0x10
string NAME = 'a#b'
std_msgs/Header header
float64[] before_a_byte
uint8 tiny
float64[<=3] few
std_msgs/Empty[] nothings
string<=6 short "four"  # at most six
string<=6[<=2] shorts
demo_msgs/msg/Sample[2] pair
Sample[<=3] some
bool[5] flags
int16 last -7
""",
}


@cache
def debian() -> Schema:
    paths = [DEBIAN / name.replace(".", "/msg/") for name in MESSAGES]
    return frontends.load([f"{path}.msg" for path in paths])


@cache
def typestore() -> Typestore:
    return store_of(_texts())


def _texts() -> dict[str, str]:
    """By the names ROS 2 gives messages."""
    texts = {}
    for name in MESSAGES:
        package, _, message = name.partition(".")
        text = (DEBIAN / package / "msg" / f"{message}.msg").read_text()
        texts[f"{package}/msg/{message}"] = text
    return texts


def store_of(texts: dict[str, str]) -> Typestore:
    types = {}
    for name, text in texts.items():
        types |= get_types_from_msg(text, name)
    store = get_typestore(Stores.EMPTY)
    store.register(types)
    return store


def in_genpy(schema: Schema, name: str, value: dict[str, Any]) -> Any:
    import genpy

    if name in ("ros.Time", "ros.Duration"):
        return getattr(genpy, name.removeprefix("ros."))(value["sec"], value["nsec"])
    package, _, message = name.partition(".")
    instance = getattr(importlib.import_module(f"{package}.msg"), message)()
    for item in schema.message(name).fields:
        content = value[item.name]
        if isinstance(item.type, MessageRef):
            is_single = item.label is Label.SINGLE
            inner = [
                in_genpy(schema, item.type.name, v) for v in ([content] if is_single else content)
            ]
            content = inner[0] if is_single else inner
        elif item.type is Kind.UINT8 and item.label is not Label.SINGLE:
            content = bytes(content)
        setattr(instance, item.name, content)
    return instance


def in_rosbags(schema: Schema, store: Typestore, name: str, value: dict[str, Any]) -> Any:
    """rosbags has ROS 2's types for both dialects; a byte is signed, an array numpy's."""
    declared = schema.message(name).fields
    descriptions = [description for _, description in store.fielddefs[rosbags_name(name)][1]]
    fields = []
    for i, item in enumerate(declared):
        content = value[item.name]
        if isinstance(item.type, MessageRef):
            is_single = item.label is Label.SINGLE
            inner = [
                in_rosbags(schema, store, item.type.name, v)
                for v in ([content] if is_single else content)
            ]
            content = inner[0] if is_single else inner
        elif item.label is not Label.SINGLE and item.type is not Kind.STRING:
            assert isinstance(item.type, Kind)
            content = np.array(content, item.type.value)
        elif descriptions[i][1] == ("byte", 0) and content > 127:
            content -= 256
        fields.append(content)
    return store.types[rosbags_name(name)](*fields)


def rosbags_name(name: str) -> str:
    package, _, message = name.partition(".")
    package = "builtin_interfaces" if package == "ros" else package
    return f"{package}/msg/{message}"


def samples(schema: Schema, name: str) -> Iterator[dict[str, Any]]:
    content = RandomMessages(schema, seed=len(name))
    return (content.message(name) for _ in range(SAMPLES))


def genpy_bytes(schema: Schema, name: str, value: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    in_genpy(schema, name, value).serialize(stream)
    return stream.getvalue()


def rosbags_bytes(schema: Schema, store: Typestore, name: str, value: dict[str, Any]) -> bytes:
    instance = in_rosbags(schema, store, name, value)
    return bytes(store.serialize_cdr(instance, rosbags_name(name)))


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
