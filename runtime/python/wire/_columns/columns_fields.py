# SPDX-License-Identifier: Apache-2.0
"""Finding columns in the bytes of the messages around them, without parsing these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .._wirecost import WireError
from .node import BAND, LENGTH
from .wire import DEPTH, fields

_GROUP = 3


@dataclass(frozen=True)
class ColumnsField:
    """Columns that lie at ``offset`` of a buffer, ``size`` bytes long."""

    path: str
    """The list they stand for: ``lidar_sensor_view[0].reflection``."""
    offset: int
    size: int


@dataclass(frozen=True)
class Container:
    """A message that holds columns, or messages that lead to them: names by field number."""

    columns_fields: Mapping[int, str] = field(default_factory=dict)
    """The lists whose columns it holds."""
    leads: Mapping[int, tuple[str, str, bool]] = field(default_factory=dict)
    """Name, full name of the message, and whether it is repeated."""

    @cached_property
    def passed(self) -> frozenset[int]:
        """Tags of one byte, of fields with a length, that neither hold columns nor lead to some."""
        return frozenset(
            number << 3 | LENGTH for number in range(1, 16) if number not in self.leads
        )


class ColumnsFields:
    """``containers`` by the full names of messages."""

    def __init__(self, containers: Mapping[str, Container]) -> None:
        self._containers = containers
        self._numbers = {
            f"{message}.{name}": number
            for message, container in containers.items()
            for number, name in container.columns_fields.items()
        }

    def number(self, name: str | None) -> int:
        """Return the field number of the columns of a list, ``<message>.<field>``."""
        if name is None and len(self._numbers) == 1:
            (number,) = self._numbers.values()
        elif name in self._numbers:
            number = self._numbers[name]
        else:
            known = ", ".join(self._numbers) or "none"
            raise WireError(f"{name or 'no name'} is no list with columns; there are: {known}")
        return 6 * BAND + number

    def find(self, view: memoryview, message: str | None) -> list[ColumnsField]:
        holders = [name for name, container in self._containers.items() if container.columns_fields]
        if message is None and len(holders) == 1:
            message = holders[0]
        if message is None or message not in self._containers:
            known = ", ".join(self._containers) or "none"
            raise WireError(f"{message or 'no name'} holds no columns; messages that do: {known}")
        return list(self._walk(view, 0, len(view), message, "", 0))

    def _walk(
        self, view: memoryview, start: int, end: int, message: str, prefix: str, depth: int
    ) -> Iterator[ColumnsField]:
        if depth > DEPTH:
            raise WireError(f"messages are nested deeper than {DEPTH}", start)
        container = self._containers[message]
        seen: dict[int, int] = {}
        for found in fields(view, start, end, container.passed):
            band, number = divmod(found.number, BAND)
            if band == 6 and number in container.columns_fields:
                if found.number in seen or found.wire_type != LENGTH:
                    what = "comes twice" if found.number in seen else "is no message"
                    raise WireError(f"field {found.number} {what}", found.at)
                seen[found.number] = 1
                path = f"{prefix}{container.columns_fields[number]}"
                yield ColumnsField(path, found.start, found.end - found.start)
            elif found.wire_type in (LENGTH, _GROUP) and found.number in container.leads:
                name, inner, is_repeated = container.leads[found.number]
                index = seen[found.number] = seen.get(found.number, -1) + 1
                step = f"{name}[{index}]" if is_repeated else name
                inner_prefix = f"{prefix}{step}."
                yield from self._walk(view, found.start, found.end, inner, inner_prefix, depth + 1)
