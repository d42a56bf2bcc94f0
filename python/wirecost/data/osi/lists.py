# SPDX-License-Identifier: Apache-2.0
"""The lists of a message that there are columns for, in rows or in columns."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from wirecost.data.traces import messages, wire
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost_osi._columns import Columns

COMPILED = "wirecost_osi"
"""OSI as wirecost compiled it at build time."""
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class RepeatedField:
    """A list that is not empty."""

    path: str
    """``lidar_sensor_view[0].reflection``"""
    kind: type[Columns[Any]]
    element: Descriptor
    number: int
    """Number of the list's field in the message around it."""
    rows: Sequence[Message]
    columns: bytes | None
    """Its columns where the frame holds them; they count, not the rows beside them."""

    @property
    def count(self) -> int:
        if self.columns is None:
            return len(self.rows)
        count = wire.first(memoryview(self.columns), messages.COUNT)
        return count if isinstance(count, int) else 0


def without_indices(path: str) -> str:
    """Remove the indices of a path: ``lidar_sensor_view.reflection``."""
    return _INDEX.sub("", path)


@cache
def kind_of(element: Descriptor) -> type[Columns[Any]] | None:
    """Return the class of columns for a message type. Raises UserError.

    None where wirecost was built without it.
    """
    module = element.file.name.removesuffix(".proto").replace("/", ".")
    try:
        importlib.import_module(COMPILED)
    except ImportError as error:
        raise UserError(f"{COMPILED}: not installed; install wirecost again") from error
    try:
        generated = importlib.import_module(f"{COMPILED}.{module}_columns")
    except ModuleNotFoundError:
        return None
    local = element.full_name.removeprefix(f"{element.file.package}.")
    kind: type[Columns[Any]] | None = getattr(generated, f"{local.replace('.', '')}Columns", None)
    return kind


def find(message: Message) -> Iterator[RepeatedField]:
    """Yield all such lists below a message that ``messages.parse`` returned."""
    return _below(message, "")


def _below(message: Message, prefix: str) -> Iterator[RepeatedField]:
    for field in _leading(message.DESCRIPTOR):
        path = f"{prefix}{field.name}"
        value = getattr(message, field.name)
        element = field.message_type
        kind = kind_of(element) if field.is_repeated and element is not None else None
        if kind is not None and element is not None:
            columns = _columns(message, field)
            if columns is not None or len(value):
                yield RepeatedField(path, kind, element, field.number, value, columns)
        elif field.is_repeated:
            for index, item in enumerate(value):
                yield from _below(item, f"{path}[{index}].")
        elif message.HasField(field.name):
            yield from _below(value, f"{path}.")


def _columns(message: Message, field: FieldDescriptor) -> bytes | None:
    name = f"{field.name}_columns"
    return getattr(message, name) if message.HasField(name) else None


@cache
def _leading(message: Descriptor) -> tuple[FieldDescriptor, ...]:
    """Return the fields that are such lists or have some below them."""
    return tuple(field for field in message.fields if _leads(field, frozenset()))


def _leads(field: FieldDescriptor, around: frozenset[str]) -> bool:
    below: Descriptor | None = field.message_type
    if below is None or below.full_name in around:
        return False
    if field.is_repeated and kind_of(below) is not None:
        return True
    return any(_leads(inner, around | {below.full_name}) for inner in below.fields)
