# SPDX-License-Identifier: Apache-2.0
"""One file's declarations to the IR."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from wirecost.schema.compile.frontends.ros import builtin, grammar, literals
from wirecost.schema.compile.frontends.ros.builtin import Dialect
from wirecost.schema.compile.frontends.ros.grammar import Declaration, Section
from wirecost.schema.compile.schema import (
    CompileError,
    Constant,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Omission,
    Origin,
    Type,
    Value,
)

Resolve = Callable[[Declaration, str], tuple[MessageRef, str]]
"""The message a declaration's type means inside a package, and the file that has it."""


class FileReader:
    """One file: its sections to messages."""

    def __init__(self, shown: str, package: str, dialect: Dialect, resolve: Resolve) -> None:
        self._shown = shown
        self._package = package
        self._dialect = dialect
        self._resolve = resolve
        self._imports: dict[str, None] = {}
        self._omissions: list[Omission] = []

    def file(self, name: str, text: str) -> File:
        parts = grammar.sections(text, self._shown, self._dialect)
        service = name.endswith(".srv")
        if len(parts) != (2 if service else 1):
            lines = grammar.lines_of(text.rstrip())
            splits = [n for n, line in enumerate(lines, 1) if line.strip() == grammar.SPLIT]
            line = splits[1 if service else 0] if splits[service:] else len(lines)
            what = "a .srv has one line `---`" if service else "`---` in a .msg"
            remedy = (
                "part the request from the response by one"
                if service
                else "name a service's file .srv"
            )
            raise CompileError(Origin(self._shown, line, 1 if line else 0), what, remedy)
        ends = self._dialect.service_parts if service else ("",)
        stem = PurePosixPath(name).stem
        messages = [self._message(stem + e, p) for e, p in zip(ends, parts, strict=True)]
        return File(
            name,
            self._package,
            tuple(messages),
            imports=tuple(self._imports),
            omissions=tuple(self._omissions),
        )

    def _message(self, name: str, section: Section) -> Message:
        fields: list[Field] = []
        constants: list[Constant] = []
        lines: dict[str, int] = {}
        for declaration in section.declarations:
            if declaration.name in lines:
                raise CompileError(
                    declaration.name_origin,
                    f"`{declaration.name}` is declared in line {lines[declaration.name]} already",
                    "rename one of the two",
                )
            lines[declaration.name] = declaration.origin.line
            if declaration.constant:
                constants.append(self._constant(declaration))
            else:
                fields.append(self._field(declaration, len(fields) + 1))
        origin = Origin(self._shown, 1, 1)
        if not fields and self._dialect.is_ros2:
            fields.append(Field(builtin.DUMMY_FIELD, 1, Kind.UINT8, origin=origin))
        return Message(
            f"{self._package}.{name}",
            tuple(fields),
            constants=tuple(constants),
            comment=section.comment,
            origin=origin,
        )

    def _constant(self, declaration: Declaration) -> Constant:
        kind = self._dialect.types.get(declaration.type)
        if not isinstance(kind, Kind) or declaration.label is not Label.SINGLE:
            raise CompileError(
                declaration.origin,
                f"a constant cannot be of type {declaration.type}"
                + ("" if declaration.label is Label.SINGLE else "[]"),
                "use a number, bool or string",
            )
        value = self._value(declaration, kind)
        return Constant(declaration.name, kind, value, declaration.comment)

    def _field(self, declaration: Declaration, number: int) -> Field:
        type_: Type
        builtin_type = self._dialect.types.get(declaration.type)
        if isinstance(builtin_type, Kind):
            type_ = builtin_type
        else:
            type_, used = self._resolve(declaration, self._package)
            self._imports[used] = None
        return Field(
            declaration.name,
            number,
            type_,
            declaration.label,
            packed=declaration.label is not Label.SINGLE
            and isinstance(type_, Kind)
            and not type_.is_text,
            default=self._default(declaration, type_),
            capacity=declaration.capacity,
            text_capacity=declaration.text_capacity,
            comment=declaration.comment,
            origin=declaration.origin,
        )

    def _default(self, declaration: Declaration, type_: Type) -> Value | None:
        if not declaration.value:
            return None
        if not self._dialect.is_ros2:
            raise CompileError(
                declaration.value_origin,
                f"`{declaration.value}` behind the field's name; ros1 has no defaults",
                "give --dialect ros2, or write NAME=VALUE for a constant",
            )
        if not isinstance(type_, Kind):
            raise CompileError(
                declaration.value_origin,
                "a message has no default",
                "leave it out and set the field where messages are made",
            )
        if declaration.label is not Label.SINGLE:
            what = f"the default of {declaration.name}, an array, is left out"
            remedy = "set the field where messages are made"
            self._omissions.append(Omission(declaration.value_origin, what, remedy))
            return None
        return self._value(declaration, type_)

    def _value(self, declaration: Declaration, kind: Kind) -> Value:
        origin = declaration.value_origin
        if not declaration.value and kind is not Kind.STRING:
            raise CompileError(origin, f"`{declaration.name}` has no value", "write NAME=VALUE")
        value = literals.value(declaration.value, kind, self._dialect, origin)
        longest = declaration.text_capacity
        if longest is not None and isinstance(value, str) and len(value.encode()) > longest:
            raise CompileError(
                origin, f"the value is longer than {longest} bytes", "shorten it or raise the bound"
            )
        return value
