# SPDX-License-Identifier: Apache-2.0
"""Policies by which each field passes between Python and its C++ holder, as C++ writes them."""

from __future__ import annotations

from wirecost.schema.compile.emit.cpp.names import CppNames, identifier, member
from wirecost.schema.compile.emit.python import names as python_names
from wirecost.schema.compile.emit.python import values
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
    Type,
)


class Policies:
    """``names`` must see no file, so that it writes all names in full."""

    def __init__(self, schema: Schema, names: CppNames, unknown: bool) -> None:
        self._schema, self._names, self._unknown = schema, names, unknown

    def fields(self, message: Message) -> list[str]:
        """Return members and choices of a message's binding, in the order of its attributes."""
        policies = [self._field(message, item) for item in message.fields]
        if self._unknown:
            policies.append('Member<"unknown_fields", &Holder::unknown_fields, Bytes>')
        return policies

    def _field(self, message: Message, item: Field) -> str:
        name = f'"{python_names.attribute(item)}"'
        policy = self._policy(item)
        lacks = self._schema.recursive(message, item) and item.label is Label.SINGLE
        if lacks or item.is_optional:
            policy = f"Maybe<{policy}>"
        if item.oneof is None:
            return f"Member<{name}, &Holder::{member(item)}, {policy}>"
        oneof, index = item.oneof, message.choices[item.name]
        return f'Choice<{name}, "{oneof}", &Holder::{identifier(oneof)}, {index}, {policy}>'

    def _policy(self, item: Field) -> str:
        if item.label is Label.MAP and item.key and item.value:
            return f"Dict<{self._policy(item.key)}, {self._policy(item.value)}>"
        single = self._single(item.type)
        if item.text_capacity is not None:
            single = f"AtMost<{item.text_capacity}, {single}>"
        if item.label is Label.SINGLE:
            return single
        code = values.array_code(item)
        if values.is_bytes(item):
            many = "ByteString"
        elif code:
            many = f"Numbers<{single}, '{code}'>"
        else:
            many = f"List<{single}>"
        if item.label is Label.REPEATED and item.capacity is not None:
            many = f"AtMost<{item.capacity}, {many}>"
        return many

    def _single(self, type_: Type) -> str:
        if isinstance(type_, MessageRef):
            return f"Nested<{self._names.qualified(type_)}>"
        if isinstance(type_, EnumRef):
            return f"Integer<{self._names.qualified(type_)}>"
        if type_.is_text:
            return "Text" if type_ is Kind.STRING else "Bytes"
        if type_ is Kind.BOOL:
            return "Boolean"
        real = type_ in (Kind.FLOAT32, Kind.FLOAT64)
        return f"{'Real' if real else 'Integer'}<{self._names.value(type_)}>"
