# SPDX-License-Identifier: Apache-2.0
"""``rosbags``, which reads and writes messages of ROS 1 and ROS 2 independently of our code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from rosbags.interfaces import Nodetype
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from wirecost.data.messages import cdr
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD
from wirecost.schema.compile.frontends.ros.grammar import declared_fields
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

_NOTHING = (b"\0\0\0\0", b"\0\1\0\0")
"""CDR of a message without fields where the byte that stands for none was left out."""
Take = Callable[[Any, Any], None]
FAULTS = (
    SerdeError,
    struct.error,
    ValueError,
    TypeError,
    OverflowError,
    KeyError,
    IndexError,
    MemoryError,
)


class RosReader:
    """Messages of ``type_name``, between bytes and Protobuf's mirror of them."""

    def __init__(self, definitions: RosDefinitions, schema: Schema, type_name: str) -> None:
        """Register the types. Raises UserError on a definition that rosbags does not understand."""
        self.definitions = definitions
        self._schema = schema
        self._type = type_name
        self.name = rosbags_name(type_name)
        """The type's, as rosbags has it."""

    @cached_property
    def store(self) -> Any:
        """rosbags' store of the types; times are there already."""
        store = get_typestore(Stores.EMPTY)
        types: dict[str, Any] = {}
        try:
            for name, text in self.definitions.texts.items():
                fields = "".join(f"{line}\n" for line in declared_fields(text))
                types |= get_types_from_msg(fields, rosbags_name(name.replace("/", ".")))
            store.register(
                {name: fields for name, fields in types.items() if name not in store.fielddefs}
            )
        except (TypesysError, KeyError, ValueError) as error:
            raise UserError(
                f"{self._type}: rosbags, which checks what contenders send, does not understand "
                f"its definition ({shown(str(error))}); mend it"
            ) from error
        return store

    def read(self, data: bytes, wire: str, to: Any) -> None:
        """Read a message into the mirror. Raises DecodeError."""
        if wire == "cdr" and data in _NOTHING and self._is_empty:
            return
        decode = self.store.deserialize_ros1 if wire == "ros1" else self.store.deserialize_cdr
        try:
            if wire == "cdr":
                cdr.plain_order(data)
            self._take(to, decode(data, self.name))
        except FAULTS as error:
            raise DecodeError(str(error)) from error

    def write(self, message: Any, wire: str) -> bytes:
        """Write a mirror's message. Raises ValueError where a value does not fit its type."""
        encode = self.store.serialize_ros1 if wire == "ros1" else self.store.serialize_cdr
        try:
            return bytes(encode(self._give(message), self.name))
        except FAULTS as error:
            raise ValueError(str(error)) from error

    @cached_property
    def _is_empty(self) -> bool:
        return [field.name for field in self._schema.message(self._type).fields] == [DUMMY_FIELD]

    @property
    def _take(self) -> Take:
        return self._functions[self._type][0]

    @property
    def _give(self) -> Callable[[Any], Any]:
        return self._functions[self._type][1]

    @cached_property
    def _functions(self) -> dict[str, tuple[Take, Callable[[Any], Any]]]:
        """Functions for each message: from rosbags' object into the mirror, and back."""
        functions: dict[str, tuple[Take, Callable[[Any], Any]]] = {}
        for message in self._schema.messages():
            kind = self.kind(message)
            held = [
                _Held(field, self.attribute(message, field), self.other_sign(message, field))
                for field in message.fields
            ]
            functions[message.full_name] = (_taker(held, functions), _giver(kind, held, functions))
        return functions

    def kind(self, message: Message) -> Any:
        """Return rosbags' class of a message."""
        return self.store.types[rosbags_name(message.full_name)]

    def attribute(self, message: Message, field: Field) -> str:
        """Return a field's name there, as `class_` for `class` and `nanosec` for `nsec`."""
        attributes = self.kind(message).__dataclass_fields__
        names: list[str] = [name for name in attributes if name != "__msgtype__"]
        return names[message.fields.index(field)]

    def other_sign(self, message: Message, field: Field) -> Kind | None:
        """Return a number's type in rosbags where it has another sign than in the schema.

        ROS 1's times and ROS 2's `byte` do.
        """
        _, fields = self.store.fielddefs[rosbags_name(message.full_name)]
        _, (form, about) = fields[message.fields.index(field)]
        if form is not Nodetype.BASE:
            return None
        kind = _KINDS.get(about[0])
        return kind if kind is not field.type else None


def rosbags_name(full_name: str) -> str:
    package, _, message = full_name.rpartition(".")
    return f"{'builtin_interfaces' if package == 'ros' else package}/msg/{message}"


_KINDS = {kind.value: kind for kind in Kind} | {"byte": Kind.INT8, "char": Kind.UINT8}
"""Types by the names that rosbags has for them."""


@dataclass(frozen=True)
class _Held:
    """A field: what rosbags calls it, and the type it has there if that is another."""

    field: Field
    name: str
    theirs: Kind | None


Functions = dict[str, tuple[Take, Callable[[Any], Any]]]


def _taker(fields: list[_Held], functions: Functions) -> Take:
    def take(to: Any, source: Any) -> None:
        for held_as in fields:
            field = held_as.field
            value = getattr(source, held_as.name)
            if isinstance(field.type, MessageRef):
                inner = functions[field.type.name][0]
                if field.label is Label.SINGLE:
                    held = getattr(to, field.name)
                    held.SetInParent()
                    inner(held, value)
                else:
                    held = getattr(to, field.name)
                    for each in value:
                        inner(held.add(), each)
            elif is_octets(field):
                setattr(to, field.name, value.tobytes())
            elif is_list(field):
                getattr(to, field.name).extend(value)
            else:
                setattr(to, field.name, wrapped(value, field.type))

    return take


def _giver(kind: Any, fields: list[_Held], functions: Functions) -> Callable[[Any], Any]:
    def give(message: Any) -> Any:
        return kind(
            **{
                held.name: _given(getattr(message, held.field.name), held, functions)
                for held in fields
            }
        )

    return give


def _given(value: Any, held: _Held, functions: Functions) -> Any:
    """Return a value as rosbags holds it.

    Arrays that are cut, as in a message without a field, are filled up.
    """
    field = held.field
    if isinstance(field.type, MessageRef):
        inner = functions[field.type.name][1]
        if field.label is Label.SINGLE:
            return inner(value)
        elements = [inner(each) for each in value]
        empty = value.add if field.label is Label.ARRAY else None
        while empty is not None and len(elements) < (field.capacity or 0):
            elements.append(inner(empty()))
        return elements
    if not is_list(field):
        return wrapped(value, held.theirs) if held.theirs else value
    missing = (field.capacity or 0) - len(value) if field.label is Label.ARRAY else 0
    if field.type is Kind.STRING:
        return [*value, *[""] * missing]
    if is_octets(field):
        return np.frombuffer(value + bytes(missing), np.uint8)
    return np.array([*value, *[0] * missing], _dtype(field))


def _dtype(field: Field) -> str:
    assert isinstance(field.type, Kind)
    return field.type.value


def wrapped(value: Any, kind: Any) -> Any:
    """Return an integer wrapped to its type's width, other values unchanged."""
    width = kind.width if isinstance(kind, Kind) else None
    if width is None or kind in (Kind.BOOL, Kind.FLOAT32, Kind.FLOAT64):
        return value
    bits = 8 * width
    value &= (1 << bits) - 1
    signed = not kind.value.startswith("u")
    return value - (1 << bits) if signed and value >> (bits - 1) else value
