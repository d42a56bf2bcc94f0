# SPDX-License-Identifier: Apache-2.0
"""Python functions that fill in and read a message of each library, as a user writes them by hand.

A library's module has for each message ``make_N(classes, value)`` and ``read_N(message)``;
``value`` is a tuple of the fields' values, None for what is absent.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wirecost.compile.emit.python.names import attribute
from wirecost.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

PREAMBLE = """\
from array import array
from base64 import b64decode, b64encode


def number(x):
    return hash(x) if x == x else 1


def text(x):
    return hash(x)
"""


@dataclass(frozen=True)
class Style:
    """How a library's objects are made and read. ``made``: of class and arguments; ``asks``: if
    a field is there, empty where None says that it is not."""

    name: Callable[[Field], str]
    made: str
    asks: str
    objects: str = ""
    """Beginning of the names of messages that are made one by one all the same: a constructor takes
    a dictionary for a Struct for its content."""
    arrays: bool = False
    is_json: bool = False


OURS = Style(attribute, "classes[{n}](**{{{arguments}}})", "", arrays=True)
# One constructor takes it all: messages that are given to that of another are copied.
GOOGLE = Style(
    lambda field: field.name,
    "{{{arguments}}}",
    'm.HasField("{name}")',
    objects="google.protobuf.",
)
JSON = Style(lambda field: field.name, "", "", is_json=True)
STYLES = {"wirecost": OURS, "protobuf": GOOGLE, "json": JSON}


def module(schema: Schema, style: Style) -> str:
    """The functions for all messages, numbered in the order of the schema."""
    numbers = {message.full_name: i for i, message in enumerate(schema.messages())}
    lines = [PREAMBLE]
    for message in schema.messages():
        lines += ["", *_make(message, numbers, style), "", *_read(message, numbers, style), ""]
    return "\n".join(lines)


def _make(message: Message, numbers: dict[str, int], style: Style) -> Iterator[str]:
    number = numbers[message.full_name]
    yield f"def make_{number}(classes, v):"
    if style.is_json:
        yield "    d = {}"
        for i, field in enumerate(message.fields):
            yield f"    if {_worth_writing(field, f'v[{i}]')}:"
            yield f'        d["{field.name}"] = {_made(field, f"v[{i}]", numbers, style)}'
        yield "    return d"
        return
    arguments = ", ".join(
        f'"{style.name(field)}": {_made(field, f"v[{i}]", numbers, style)}'
        for i, field in enumerate(message.fields)
    )
    yield f"    return {style.made.format(n=number, arguments=arguments)}"


def _worth_writing(field: Field, value: str) -> str:
    """As Protobuf's JSON leaves out what is absent or empty; a zero with a sign is written."""
    is_float = field.type in (Kind.FLOAT32, Kind.FLOAT64) and field.label is Label.SINGLE
    explicit = field.is_optional or field.oneof is not None or field.presence is Presence.REQUIRED
    return f"{value} is not None" if explicit or is_float else value


def _got(field: Field, style: Style) -> str:
    """The expression for a field of ``m``."""
    name = style.name(field)
    if style.is_json:
        empty = {Label.SINGLE: "", Label.MAP: ", {}"}.get(field.label, ", ()")
        return f'm.get("{name}"{empty})'
    return f'getattr(m, "{name}")' if keyword.iskeyword(name) else f"m.{name}"


def _made(field: Field, value: str, numbers: dict[str, int], style: Style) -> str:
    if field.label is Label.MAP and field.key is not None and field.value is not None:
        key = "str(k)" if style.is_json else "k"
        return f"{{{key}: {_one(field.value, 'x', numbers, style)} for k, x in {value}}}"
    if field.label is Label.REPEATED:
        code = _array_code(field)
        if style.arrays and code:
            return f'array("{code}", {value})'
        one = _one(field, "x", numbers, style)
        return value if one == "x" else f"[{one} for x in {value}]"
    one = _one(field, value, numbers, style)
    return one if one == value else f"{one} if {value} is not None else None"


def _one(field: Field, value: str, numbers: dict[str, int], style: Style) -> str:
    if isinstance(field.type, MessageRef):
        number = numbers[field.type.name]
        made = f"make_{number}(classes, {value})"
        is_object = style.objects and field.type.name.startswith(style.objects)
        return f"classes[{number}](**{made})" if is_object else made
    if style.is_json and field.type is Kind.BYTES:
        return f"b64encode({value}).decode()"
    return value


def _array_code(field: Field) -> str:
    """As our dataclasses hold lists of numbers."""
    if not isinstance(field.type, Kind) or field.type.is_text or field.type is Kind.BOOL:
        return ""
    return field.type.code


def _read(message: Message, numbers: dict[str, int], style: Style) -> Iterator[str]:
    yield f"def read_{numbers[message.full_name]}(m):"
    yield "    t = 0"
    for field in message.fields:
        name = style.name(field)
        got = _got(field, style)
        if field.label is Label.MAP and field.key is not None and field.value is not None:
            yield f"    for k, x in {got}.items():"
            key = _touched(field.key, _key(field.key, style), numbers, style)
            yield f"        t ^= {key} ^ {_touched(field.value, 'x', numbers, style)}"
        elif field.label is Label.REPEATED:
            yield f"    for x in {got}:"
            yield f"        t ^= {_touched(field, 'x', numbers, style)}"
        elif style.asks and (field.is_optional or field.oneof is not None):
            yield f"    if {style.asks.format(name=name)}:"
            yield f"        t ^= {_touched(field, got, numbers, style)}"
        else:
            yield f"    x = {got}"
            yield "    if x is not None:"
            yield f"        t ^= {_touched(field, 'x', numbers, style)}"
    yield "    return t"


def _key(field: Field, style: Style) -> str:
    if not style.is_json or field.type is Kind.STRING:
        return "k"
    return '(k == "True")' if field.type is Kind.BOOL else "int(k)"


def _touched(field: Field, value: str, numbers: dict[str, int], style: Style) -> str:
    if isinstance(field.type, MessageRef):
        return f"read_{numbers[field.type.name]}({value})"
    if style.is_json and field.type is Kind.BYTES:
        return f"text(b64decode({value}))"
    is_text = isinstance(field.type, Kind) and field.type.is_text
    return f"{'text' if is_text else 'number'}({value})"


def values(schema: Schema, type_name: str) -> Callable[[object], tuple[object, ...]]:
    """Makes the tuple of a message of Google's Python."""
    message = schema.message(type_name)

    def of(held: object, message: Message) -> tuple[object, ...]:
        return tuple(one(held, field) for field in message.fields)

    def inner(field: Field, value: object) -> object:
        if isinstance(field.type, MessageRef):
            return of(value, schema.message(field.type))
        return int(value) if isinstance(field.type, EnumRef) else value  # type: ignore[call-overload]

    def one(held: object, field: Field) -> object:
        value = getattr(held, field.name)
        if field.label is Label.MAP and field.value is not None:
            kind = field.value
            return [(key, inner(kind, value[key])) for key in value]
        if field.label is Label.REPEATED:
            return [inner(field, each) for each in value]
        explicit = field.is_optional or field.oneof is not None
        if explicit and not held.HasField(field.name):  # type: ignore[attr-defined]
            return None
        return inner(field, value)

    return lambda held: of(held, message)
