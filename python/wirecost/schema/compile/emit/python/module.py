# SPDX-License-Identifier: Apache-2.0
"""State of one generated module: its classes, imports and precompiled structs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePosixPath

from wirecost.schema.compile.emit.python import names
from wirecost.schema.compile.graph import run
from wirecost.schema.compile.per_schema import per_schema
from wirecost.schema.compile.schema import File, Message, MessageRef, Schema

LONGEST_FORMAT = 32
"""Longer struct formats are no longer readable as part of a name."""


class Module:
    """Names of one module; what is asked for is imported or defined."""

    def __init__(self, schema: Schema, file: File, folders: frozenset[PurePosixPath]) -> None:
        self.schema, self.file = schema, file
        self.class_names = _class_names(schema)
        self.place = names.module_place(file)
        self.is_package = self.place in folders
        """True if another module's folder has this one's name: then it is its ``__init__``."""
        self._own = {
            d.full_name: names.class_name(file, d.full_name) for d in names.declarations(file)
        }
        self.order = [m.full_name for m in ordered(schema, file)]
        self._positions = {name: i for i, name in enumerate(self.order)}
        self._attributes: dict[str, set[str]] = {}
        self._foreign: dict[str, str] = {}
        self._known = set(self._own.values())
        self._imports: dict[str, set[tuple[str, str]]] = {}
        self._support: set[str] = set()
        self._constants: dict[str, str] = {}
        self._long: dict[str, dict[str, str]] = {}
        """Names of long formats' structs, by verb and by what makes them."""

    def is_later(self, one: str, other: str) -> bool:
        """Return whether this module defines one message only behind another one."""
        return self._positions.get(one, -1) >= self._positions[other]

    def attributes(self, message: Message) -> set[str]:
        if message.full_name not in self._attributes:
            self._attributes[message.full_name] = set(map(names.attribute, message.fields))
        return self._attributes[message.full_name]

    def cls(self, full_name: str) -> str:
        """Return the class of a message or enum."""
        name, module, known_as = self._resolve(full_name)
        if module:
            self._imports.setdefault(module, set()).add((name, known_as))
        return known_as

    def local_class(self, full_name: str) -> str:
        """Return the same name, without importing it."""
        return self._resolve(full_name)[2]

    def private(self, what: str, full_name: str) -> str:
        """Return a module-level helper of a message's codec: ``_read_ros1_EventId``."""
        name, module, known_as = self._resolve(full_name)
        if module:
            pair = (f"_{what}_{name}", f"_{what}_{known_as}")
            self._imports.setdefault(module, set()).add(pair)
        return f"_{what}_{known_as}"

    def support(self, name: str) -> str:
        """Import something of the support module, under a name no message can have."""
        self._support.add(name)
        return f"_{name}"

    def pack(self, form: str) -> str:
        """Return a packer of little-endian values, such as ``_pack_Iq``."""
        return self._struct("pack", form, f'_Struct("<{form}").pack')

    def unpack(self, form: str) -> str:
        return self._struct("unpack", form, f'_Struct("<{form}").unpack_from')

    def pack_aligned(self, alignment: int, form: str) -> str:
        """Return packers by the position modulo ``alignment``: each pads before its values."""
        packers = f'{self.support("aligned_packers")}({alignment}, "{form}")'
        return self._struct(f"pack_at{alignment}", form, packers)

    def unpack_ordered(self, form: str) -> str:
        """Return a pair of unpackers: for little-endian and for big-endian input."""
        unpackers = f'{self.support("ordered_unpackers")}("{form}")'
        return self._struct("unpack_either", form, unpackers)

    def has_constant(self, name: str) -> bool:
        return name in self._constants

    def constant(self, name: str, value: str) -> str:
        self._constants[name] = value
        return name

    @property
    def constants(self) -> list[tuple[str, str]]:
        return sorted(self._constants.items())

    @property
    def dots(self) -> str:
        """Dots from this module to the namespace, as a relative import writes them."""
        return "." * (len(self.place.parts) + self.is_package)

    def imports(self) -> Iterator[str]:
        """Yield import statements, one per module."""
        if self._support:
            pairs = sorted((name, f"_{name}") for name in self._support)
            yield _statement(f"{self.dots}_wirecost", pairs)
        for module, imported in sorted(self._imports.items()):
            yield _statement(module, sorted(imported))

    def _resolve(self, full_name: str) -> tuple[str, str, str]:
        """Name where it is declared, module ("": this one) and name here."""
        if full_name in self._own:
            return self._own[full_name], "", self._own[full_name]
        home = self.schema.home(full_name)
        place = names.module_place(home)
        name = names.class_name(home, full_name)
        if full_name not in self._foreign:
            known_as = "_".join((*place.parts, name)) if name in self._known else name
            self._known.add(known_as)
            self._foreign[full_name] = known_as
        return name, self.dots + ".".join(place.parts), self._foreign[full_name]

    def _struct(self, verb: str, form: str, made: str) -> str:
        readable = form.replace("?", "t")
        name = f"_{verb}_{readable}"
        if len(form) > LONGEST_FORMAT:
            long_names = self._long.setdefault(verb, {})
            name = long_names.setdefault(made, f"_{verb}_long{len(long_names) + 1}")
        return self.constant(name, made)


def struct_format(codes: list[str]) -> str:
    """Return one format for all codes: ``["I", "q", "q"]`` → ``I2q``.

    Codes with a count of their own stay apart.
    """
    parts = []
    for code, group in groupby(codes):
        many = len(list(group))
        if many > 1 and len(code) == 1:
            parts.append(f"{many}{code}")
        else:
            parts += [code] * many
    return "".join(parts)


def defaulted_messages(schema: Schema) -> frozenset[str]:
    """Return messages that a field may lack: wires without presence write their default."""
    return frozenset(
        f.type.name
        for m in schema.messages()
        for f in m.fields
        if f.is_optional and isinstance(f.type, MessageRef)
    )


def ordered(schema: Schema, file: File) -> list[Message]:
    """Return a file's messages, each behind those its class body uses: nested and implicit ones."""
    own = {m.full_name: m for m in file.messages}
    done: dict[str, Message] = {}
    visiting: set[str] = set()

    def visit(message: Message) -> Iterator[Message]:
        if message.full_name in done or message.full_name in visiting:
            return
        if message.parent in own and message.parent not in visiting:
            yield own[message.parent]  # which visits this one
            return
        visiting.add(message.full_name)
        for other in file.nested.get(message.full_name, ()):
            if isinstance(other, Message):
                yield other
        for item in message.fields:
            if isinstance(item.type, MessageRef) and item.type.name in own:
                visit_needed = not item.is_optional and not schema.recursive(message, item)
                if visit_needed and item.oneof is None:
                    yield own[item.type.name]
        done[message.full_name] = message

    for message in file.messages:
        run(visit, message)
    return list(done.values())


@per_schema
def _class_names(schema: Schema) -> frozenset[str]:
    return frozenset(
        names.class_name(f, d.full_name) for f in schema.files for d in names.declarations(f)
    )


def _statement(module: str, pairs: list[tuple[str, str]]) -> str:
    imported = [name if name == alias else f"{name} as {alias}" for name, alias in pairs]
    line = f"from {module} import {', '.join(imported)}"
    if len(line) <= 100:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in imported) + ")"
