# SPDX-License-Identifier: Apache-2.0
"""Reads CTF 1.8 metadata, the text in the language TSDL."""

from __future__ import annotations

from wirecost.results.records.ctf.declarations import Declarations
from wirecost.results.records.ctf.tokens import Tokens, TsdlError, is_number, number_of
from wirecost.results.records.ctf.types import (
    EMPTY,
    Attributes,
    Clock,
    Metadata,
    Stream,
    Struct,
    TraceEvent,
    Type,
)

BLOCKS = ("trace", "env", "clock", "stream", "event", "callsite")


def parse(text: str) -> Metadata:
    """Read metadata. Raises TsdlError."""
    tokens = Tokens(text)
    metadata = Metadata()
    declarations = Declarations(tokens)
    while tokens.peek():
        if tokens.peek() in BLOCKS and tokens.peek(1) == "{":
            block = tokens.take()
            _add(metadata, block, *_block(tokens, declarations))
        else:
            declarations.statement()
    return metadata


def _block(tokens: Tokens, outer: Declarations) -> tuple[Attributes, dict[str, Type]]:
    """Return a block's settings, ``key = value`` and ``key := type``; declarations are its own."""
    values: Attributes = {}
    types: dict[str, Type] = {}
    declarations = Declarations(tokens, outer)
    tokens.expect("{")
    while not tokens.accept("}"):
        if declarations.begins_statement():
            declarations.statement()
            continue
        key = tokens.name()
        while tokens.accept("."):
            key += "." + tokens.name()
        if tokens.accept(":="):
            types[key] = declarations.type()
        else:
            tokens.expect("=")
            values[key] = _value(tokens)
        tokens.expect(";")
    tokens.accept(";")
    return values, types


def _value(tokens: Tokens) -> int | str:
    word = tokens.take()
    if word.startswith('"'):
        return word[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if is_number(word):
        return number_of(word)
    while tokens.peek() not in (";", ""):
        word += tokens.take()
    return word


def _add(found: Metadata, block: str, values: Attributes, types: dict[str, Type]) -> None:
    def number(key: str, default: int = 0) -> int:
        value = values.get(key, default)
        if not isinstance(value, int):
            raise TsdlError(f"{block}: {key} is no number")
        return value

    def struct(key: str) -> Struct:
        found_type = types.get(key, EMPTY)
        if not isinstance(found_type, Struct):
            raise TsdlError(f"{block}: {key} is no struct")
        return found_type

    if block == "trace":
        if (number("major", 1), number("minor", 8)) != (1, 8):
            raise TsdlError(f"CTF {number('major')}.{number('minor')}; 1.8 is read")
        found.big_endian = values.get("byte_order") in ("be", "network")
        found.packet_header = struct("packet.header")
    elif block == "env":
        found.env |= values
    elif block == "clock":
        clock = Clock(number("freq", 10**9), number("offset_s"), number("offset"))
        if not 0 < clock.frequency <= 10**15:
            raise TsdlError(f"a clock of {clock.frequency} Hz")
        found.clocks[str(values.get("name", ""))] = clock
    elif block == "stream":
        found.streams[number("id")] = Stream(
            struct("event.header"), struct("event.context"), struct("packet.context")
        )
    elif block == "event":
        key = (number("stream_id"), number("id"))
        name = str(values.get("name", ""))
        found.events[key] = TraceEvent(name, key[0], struct("context"), struct("fields"))
