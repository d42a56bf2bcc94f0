# SPDX-License-Identifier: Apache-2.0
"""Python functions that fill in and read a message of each library, as a user writes them by hand.

A library's module has for each message ``make_N(classes, value)`` and ``read_N(message)``;
``value`` is a tuple of the fields' values, None for what is absent.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.emit.python.names import attribute
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

if TYPE_CHECKING:
    from wirecost.data.messages.ros.reader import RosReader

PREAMBLE = """\
from base64 import b64decode, b64encode


def number(x):
    return hash(x) if x == x else 1
"""
MASK = 0xFFFF
"""Mask of a hash, which would drown the sum of numbers."""


NUMPY = """\
import numpy
numpy.seterr(all="ignore")  # sums of numbers that are not finite
"""
SUMMED_BY_NUMPY = "float({}.sum())"


def _as_it_is(_: Field, value: str) -> str:
    return value


@dataclass(frozen=True)
class LibraryStyle:
    """Expressions that make and read a library's objects.

    ``made``: of class and arguments, by name or in their order; ``asks``: if a field is there,
    empty where None says that it is not; ``array``, ``octets``: expressions that make a list of
    numbers or of bytes of a plain one; ``summed``: that adds up a list of numbers; ``text``: that
    gives the bytes of such a list.
    """

    name: Callable[[Message, Field], str]
    made: str
    asks: str = ""
    objects: str = ""
    """Beginning of the names of messages that are made one by one all the same: a constructor takes
    a dictionary for a Struct for its content."""
    number: Callable[[Message, Field, str], str] = lambda _, __, value: value
    """Expression that makes a single number."""
    held: Callable[[Message, Field, str], str] = lambda _, __, value: value
    """The value of what an object holds."""
    array: Callable[[Field, str], str] = _as_it_is
    octets: str = "{}"
    summed: str = "sum({})"
    text: str = "{}"
    imports: str = ""
    is_json: bool = False
    is_list: bool = False
    """True if a message is a list of its fields."""


def _numpy(field: Field, value: str) -> str:
    return f'numpy.array({value}, "{field.type}")' if field.type is not Kind.STRING else value


# Their lists of numbers may be any: encoding makes arrays of them.
OURS = LibraryStyle(lambda _, field: attribute(field), "classes[{n}]({keywords})")
# One constructor takes it all: messages that are given to that of another are copied.
GOOGLE = LibraryStyle(
    lambda _, field: field.name,
    "{{{named}}}",
    'm.HasField("{name}")',
    objects="google.protobuf.",
)
JSON = LibraryStyle(lambda _, field: field.name, "", is_json=True)
_IN_ORDER = "classes[{n}]({values})"
MESSAGEPACK = LibraryStyle(lambda _, field: field.name, "[{values}]", is_list=True)
GENPY = LibraryStyle(
    lambda message, field: f"{field.name}s" if is_time(message) else field.name, _IN_ORDER
)


def is_time(message: Message) -> bool:
    """Return whether a message is a time of ROS 1, which is no message there."""
    return message.full_name in ("ros.Time", "ros.Duration")


def rosbags(reader: RosReader) -> LibraryStyle:
    """Return rosbags' style, whose lists of numbers are NumPy's arrays."""

    def number(message: Message, field: Field, value: str) -> str:
        other_kind = reader.other_sign(message, field)
        if other_kind is None or other_kind.width is None:
            return value
        whole = 1 << 8 * other_kind.width
        low = 0 if other_kind.value.startswith("u") else whole // 2
        return f"({value} + {low}) % {whole} - {low}"

    return LibraryStyle(
        reader.attribute,
        _IN_ORDER,
        imports=NUMPY,
        number=number,
        array=_numpy,
        octets='numpy.frombuffer({}, "uint8")',
        summed=SUMMED_BY_NUMPY,
        text="{}.tobytes()",
    )


def rclpy_attribute(field: Field) -> str:
    return f"{field.name}_" if keyword.iskeyword(field.name) else field.name


def rclpy(reader: RosReader) -> LibraryStyle:
    """Return rclpy's style.

    Its objects make what holds their lists themselves; a `byte` is one of ``bytes``.
    """

    def is_byte(message: Message, field: Field) -> bool:
        return reader.other_sign(message, field) is not None

    return LibraryStyle(
        lambda _, field: rclpy_attribute(field),
        "classes[{n}](**{{{named}}})",
        imports=NUMPY,
        number=lambda message, field, value: (
            f"bytes(({value},))" if is_byte(message, field) else value
        ),
        held=lambda message, field, got: f"{got}[0]" if is_byte(message, field) else got,
        text="{}.tobytes()",
    )


def style(about: Subject, library: str) -> LibraryStyle:
    """Return a library's style, or ours."""
    if library == "rosbags" and about.ros is not None:
        return rosbags(about.ros)
    if library == "rclpy" and about.ros is not None:
        return rclpy(about.ros)
    return {
        "protobuf": GOOGLE,
        "json": JSON,
        "genpy": GENPY,
        "messagepack": MESSAGEPACK,
    }.get(library, OURS)


def module(schema: Schema, style: LibraryStyle) -> str:
    """Return the functions for all messages, numbered in the order of the schema."""
    numbers = {message.full_name: i for i, message in enumerate(schema.messages())}
    lines = [style.imports + PREAMBLE]
    for message in schema.messages():
        lines += ["", *_make(message, numbers, style), "", *_read(message, numbers, style), ""]
    return "\n".join(lines)


def _make(message: Message, numbers: dict[str, int], style: LibraryStyle) -> Iterator[str]:
    number = numbers[message.full_name]
    yield f"def make_{number}(classes, v):"
    if style.is_json:
        yield "    d = {}"
        for i, field in enumerate(message.fields):
            yield f"    if {_worth_writing(field, f'v[{i}]')}:"
            yield f'        d["{field.name}"] = {_made(field, f"v[{i}]", numbers, style)}'
        yield "    return d"
        return
    arguments = [
        _argument(message, field, f"v[{i}]", numbers, style)
        for i, field in enumerate(message.fields)
    ]
    names = [style.name(message, field) for field in message.fields]
    pairs = list(zip(names, arguments, strict=True))
    constructor = style.made.format(
        n=number,
        named=", ".join(f'"{name}": {value}' for name, value in pairs),
        keywords=", ".join(f"{name}={value}" for name, value in pairs),
        values=", ".join(arguments),
    )
    yield f"    return {constructor}"


def _argument(
    message: Message, field: Field, value: str, numbers: dict[str, int], style: LibraryStyle
) -> str:
    return style.number(message, field, _made(field, value, numbers, style))


def _worth_writing(field: Field, value: str) -> str:
    """Return the test by which Protobuf's JSON leaves out what is absent or empty.

    A zero with a sign is written.
    """
    is_float = field.type in (Kind.FLOAT32, Kind.FLOAT64) and field.label is Label.SINGLE
    explicit = field.is_optional or field.oneof is not None or field.presence is Presence.REQUIRED
    return f"{value} is not None" if explicit or is_float else value


def _got(message: Message, field: Field, style: LibraryStyle) -> str:
    """Return the expression for a field of ``m``."""
    if style.is_list:
        return f"m[{message.fields.index(field)}]"
    name = style.name(message, field)
    if style.is_json:
        empty = {Label.SINGLE: "", Label.MAP: ", {}"}.get(field.label, ", ()")
        if is_octets(field):
            empty = ', ""'
        return f'm.get("{name}"{empty})'
    got = f'getattr(m, "{name}")' if keyword.iskeyword(name) else f"m.{name}"
    return style.held(message, field, got)


def _made(field: Field, value: str, numbers: dict[str, int], style: LibraryStyle) -> str:
    if field.label is Label.MAP and field.key is not None and field.value is not None:
        key = "str(k)" if style.is_json else "k"
        return f"{{{key}: {_one(field.value, 'x', numbers, style)} for k, x in {value}}}"
    if is_octets(field):
        return f"b64encode({value}).decode()" if style.is_json else style.octets.format(value)
    if is_list(field):
        if not isinstance(field.type, MessageRef) and (code := style.array(field, value)) != value:
            return code
        element = _one(field, "x", numbers, style)
        return value if element == "x" else f"[{element} for x in {value}]"
    single = _one(field, value, numbers, style)
    return single if single == value else f"{single} if {value} is not None else None"


def _one(field: Field, value: str, numbers: dict[str, int], style: LibraryStyle) -> str:
    if isinstance(field.type, MessageRef):
        number = numbers[field.type.name]
        call = f"make_{number}(classes, {value})"
        is_object = style.objects and field.type.name.startswith(style.objects)
        return f"classes[{number}](**{call})" if is_object else call
    if style.is_json and field.type is Kind.BYTES:
        return f"b64encode({value}).decode()"
    return value


def _read(message: Message, numbers: dict[str, int], style: LibraryStyle) -> Iterator[str]:
    """Yield a function that reads each field once, by name, as a program that needs all of them.

    Numbers are added up, texts and bytes hashed. Maps keep no order, so their sum is one of whole
    numbers.
    """
    yield f"def read_{numbers[message.full_name]}(m):"
    yield "    t = 0"
    for field in message.fields:
        name = style.name(message, field)
        got = _got(message, field, style)
        if field.label is Label.MAP and field.key is not None and field.value is not None:
            key = _key(field.key, style)
            value = _value(field.value, "x", numbers, style)
            whole = value if _is_text(field.value) else f"number({value})"
            yield "    u = 0"
            yield f"    for k, x in {got}.items():"
            yield f"        u += hash({key}) ^ {whole}"
            yield f"    t += u & {MASK}"
        elif is_octets(field):
            data = f"b64decode({got})" if style.is_json else style.text.format(got)
            yield f"    t += hash({data}) & {MASK}"
        elif is_list(field) and not isinstance(field.type, MessageRef) and not _is_text(field):
            yield f"    t += {style.summed.format(got)}"
        elif is_list(field):
            yield f"    for x in {got}:"
            yield f"        t += {_value(field, 'x', numbers, style)}"
        elif style.asks and (field.is_optional or field.oneof is not None):
            yield f"    if {style.asks.format(name=name)}:"
            yield f"        t += {_value(field, got, numbers, style)}"
        elif _is_always_there(field, style):
            yield f"    t += {_value(field, got, numbers, style)}"
        else:
            yield f"    x = {got}"
            yield "    if x is not None:"
            yield f"        t += {_value(field, 'x', numbers, style)}"
    yield "    return t"


def _is_always_there(field: Field, style: LibraryStyle) -> bool:
    """Return whether no program asks if a field is there."""
    has_presence = field.is_optional or field.oneof is not None
    return not (style.is_json or has_presence or isinstance(field.type, MessageRef))


def _key(field: Field, style: LibraryStyle) -> str:
    if not style.is_json or field.type is Kind.STRING:
        return "k"
    return '(k == "True")' if field.type is Kind.BOOL else "int(k)"


def _is_text(field: Field) -> bool:
    return isinstance(field.type, Kind) and field.type.is_text


def _value(field: Field, value: str, numbers: dict[str, int], style: LibraryStyle) -> str:
    """Return the expression that is added for a single value."""
    if isinstance(field.type, MessageRef):
        return f"read_{numbers[field.type.name]}({value})"
    if style.is_json and field.type is Kind.BYTES:
        value = f"b64decode({value})"
    return f"(hash({value}) & {MASK})" if _is_text(field) else value


def values(schema: Schema, type_name: str) -> Callable[[object], tuple[object, ...]]:
    """Return a function that makes the tuple of a message of Google's Python."""
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
        if is_octets(field):
            return value
        if is_list(field):
            return [inner(field, each) for each in value]
        explicit = field.is_optional or field.oneof is not None
        if explicit and not held.HasField(field.name):  # type: ignore[attr-defined]
            return None
        return inner(field, value)

    return lambda held: of(held, message)
