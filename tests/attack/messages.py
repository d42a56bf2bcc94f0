# SPDX-License-Identifier: Apache-2.0
"""Inputs of ``bench message``: recordings with their schemas, and files of messages."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from google.protobuf import json_format, text_format

from attack.from_file import FromFile
from attack.target import Target
from bench.ros_schemas import bag, every
from wirecost.data.messages import fields
from wirecost.data.messages.content import made_up
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.advice.changes import changes
from wirecost.measure.bench.message.data import MessageChoice, of_recording, recorded
from wirecost.schema.compile import frontends


def _all_of(about: Subject, path: Path) -> None:
    messages = recorded(path, about, MessageChoice(sample=5)).messages
    counted, total = fields.counted(about, messages)
    if sum(field.own for field in counted) != total:
        raise AssertionError(f"{total} bytes, but those of fields are others")
    changes(about, messages, counted)


def _recording(path: Path) -> None:
    _all_of(of_recording(path, "", ""), path)


@cache
def _osi() -> Subject:
    return subject(frontends.descriptors(["osi3"]), "osi3", "MovingObject")


def _file(path: Path) -> None:
    _all_of(_osi(), path)


def _bags(name: str) -> list[bytes]:
    dialect = "ros1" if name.endswith(".bag") else "ros2"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        about = every(folder, dialect)
        bag(about, folder / name, made_up(about, {}, 1)[:3])
        place = folder / name if dialect == "ros1" else folder / Path(name).stem / name
        whole = place.read_bytes()
    return [whole]


def _texts(form: Callable[[bytes], bytes]) -> list[bytes]:
    return [form(data) for data in made_up(_osi(), {}, 1)[:2]]


def _json(data: bytes) -> bytes:
    return json_format.MessageToJson(_osi().read(data)).encode()


def _text(data: bytes) -> bytes:
    return text_format.MessageToString(_osi().read(data)).encode()


def _delimited(data: bytes) -> bytes:
    size = bytearray()
    rest = len(data)
    while rest > 0x7F:
        size.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes(size) + bytes([rest]) + data


TARGETS = (
    Target("message-bag", partial(_bags, "a.bag"), FromFile("a.bag", _recording)),
    Target("message-db3", partial(_bags, "a.db3"), FromFile("a.db3", _recording)),
    Target("message-mcap", partial(_bags, "a.mcap"), FromFile("a.mcap", _recording)),
    Target("message-json", partial(_texts, _json), FromFile("a.json", _file)),
    Target("message-text", partial(_texts, _text), FromFile("a.textproto", _file)),
    Target("message-delimited", partial(_texts, _delimited), FromFile("a.binpb", _file)),
)
