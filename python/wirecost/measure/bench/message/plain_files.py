# SPDX-License-Identifier: Apache-2.0
"""Messages from the forms that Protobuf's tools write: binary, JSON and text format."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError, Message

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.choices import DELIMITED, SINGLE
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

JSON = (".json", ".jsonl", ".ndjson")
TEXT = (".textproto", ".txtpb", ".pbtxt", ".prototxt")
LARGEST = 256 << 20
"""Bytes of such a file."""
TRIED = 64
"""Messages by which is judged whether a file is length-delimited."""
UNREADABLE = 1.0
LONGEST_REASON = 160
NOT_PARSED = (ValueError, TypeError, AttributeError, RecursionError)
"""Errors that the readers of JSON and text raise besides their own."""
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class Numbered:
    """Messages by their number, and warnings about the file.

    ``at`` raises UserError for a message that cannot be read. ``wire``: theirs, empty for the
    subject's.
    """

    count: int
    at: Callable[[int], bytes]
    warnings: list[str] = field(default_factory=list)
    wire: str = ""
    rate_hz: float | None = None
    """Rate at which they were recorded, where the file says it."""


def binary(path: Path, about: Subject, framing: str) -> Numbered:
    """Read length-delimited messages, or one. Raises UserError.

    Where neither ``framing`` nor the name says which, the reading that loses fewer bytes counts.
    """
    data = content(path)
    framing = framing or (DELIMITED if path.suffix.lower() == ".delimited" else "")
    delimited, rest = _split(data)
    cut = [f"cut off, its last {rest} bytes are no whole message"] if rest else []
    several = Numbered(len(delimited), delimited.__getitem__, cut, "protobuf")
    single = Numbered(1, lambda _: data, wire="protobuf")
    if framing or not data:
        return single if framing == SINGLE else several
    tried = [_lost(about, message) for message in delimited[:TRIED]]
    as_several = sum(tried) / len(tried) if tried else UNREADABLE
    as_single = _lost(about, data)
    if as_several < as_single or (as_several == as_single and delimited and not rest):
        chosen, other, option = several, as_single, SINGLE
    else:
        chosen, other, option = single, UNREADABLE if rest else as_several, DELIMITED
    if other < UNREADABLE:
        framing = DELIMITED if chosen is several else SINGLE
        what = {SINGLE: "one message", DELIMITED: "length-delimited messages"}
        chosen.warnings.append(
            f"read as {what[framing]}, but can be read as {what[option]} too: --framing {option}"
        )
    return chosen


def _split(data: bytes) -> tuple[list[bytes], int]:
    """Return the messages behind their lengths, and the bytes after the last whole one."""
    messages, at = [], 0
    while at < len(data):
        size, begin = _varint(data, at)
        if size is None or size > len(data) - begin:
            break
        at = begin + size
        messages.append(data[begin:at])
    return messages, len(data) - at


def _varint(data: bytes, at: int) -> tuple[int | None, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(data):
            return None, at
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    return None, at


def _lost(about: Subject, data: bytes) -> float:
    """Return the share of bytes that the type does not know; UNREADABLE for no message."""
    try:
        message = about.read(data, "protobuf")
    except DecodeError:
        return UNREADABLE
    message.DiscardUnknownFields()
    # Its size cannot be asked for where required fields are missing.
    readable = len(message.SerializePartialToString())
    return max(0, len(data) - readable) / len(data) if data else 0.0


def from_json(path: Path, about: Subject, _: str) -> Numbered:
    """Read an array of messages, several messages, or one per line. Raises UserError."""
    data = _utf8(path)
    lines = [(n, line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    by_line = path.suffix.lower() != ".json"
    if by_line and lines and _is_object(lines[0][1]):
        return _json_lines(about, lines)
    try:
        values = list(_values(_text(data)))
    except NOT_PARSED as error:
        if by_line:
            return _json_lines(about, lines)
        raise UserError(f"{path}: not valid JSON ({error}); correct it") from error
    if len(values) == 1 and isinstance(values[0], list):
        (values,) = values

    def at(number: int) -> bytes:
        return _parsed(
            about, f"message {number}", lambda to: json_format.ParseDict(values[number], to)
        )

    return Numbered(len(values), at, wire="protobuf")


def _json_lines(about: Subject, lines: list[tuple[int, bytes]]) -> Numbered:
    """Read one message per line; another line is a damaged message."""

    def at(number: int) -> bytes:
        place, line = lines[number]
        return _parsed(about, f"line {place}", lambda to: json_format.ParseDict(_value(line), to))

    return Numbered(len(lines), at, wire="protobuf")


def _value(line: bytes) -> Any:
    return json.loads(_text(line), object_pairs_hook=_object)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(_value(line), dict)
    except NOT_PARSED:
        return False


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    at = _after_space(text, 0)
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield value
        at = _after_space(text, end)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at


def _object(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    """Return an object; raise ValueError for two members of one name.

    Python's reader would keep the last.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in members if names.count(name) > 1)
        raise ValueError(f"{twice} is there twice")
    return members


def from_text(path: Path, about: Subject, _: str) -> Numbered:
    """Read one message in text format. Raises UserError."""
    try:
        text = _text(_utf8(path))
    except ValueError as error:
        raise UserError(f"{path}: {error}; write it in UTF-8") from error

    def at(_: int) -> bytes:
        return _parsed(about, "it", lambda to: text_format.Parse(text, to))

    return Numbered(1, at, wire="protobuf")


def _parsed(about: Subject, where: str, parse: Callable[[Message], Any]) -> bytes:
    message: Message = about.message_class()
    try:
        parse(message)
    except (json_format.ParseError, text_format.ParseError, *NOT_PARSED) as error:
        raise UserError(f"{where} is no {about.type}: {shown(error, LONGEST_REASON)}") from error
    return message.SerializePartialToString()


def _text(data: bytes) -> str:
    """Decode UTF-8. Raises ValueError."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"not UTF-8: byte 0x{data[error.start]:02x} in line {line}") from error


def _utf8(path: Path) -> bytes:
    """Read a text file as UTF-8, without its byte order mark. Raises UserError.

    It is converted where the mark or the zeros of the first characters say that it is UTF-16 or
    UTF-32.
    """
    data = content(path)
    encoding = json.detect_encoding(data)
    if encoding in ("utf-8", "utf-8-sig"):
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        raise UserError(f"{path}: no text in {encoding}; write it in UTF-8") from error


def content(path: Path) -> bytes:
    """Read a file. Raises UserError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a file with messages") from error
    if len(data) > LARGEST:
        raise UserError(f"{path}: larger than {LARGEST >> 20} MiB; give a part of it")
    return data
