# SPDX-License-Identifier: Apache-2.0
"""Rows to what a columns' class builds from: every field of all rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

if TYPE_CHECKING:
    from wirecost_osi._columns import Columns, Node, Prepared


@dataclass(frozen=True)
class Arrays:
    """A list's content as ``Columns.prepare`` takes it."""

    kind: type[Columns[Any]]
    count: int
    values: dict[str, object]
    present: dict[str, npt.ArrayLike] = field(default_factory=dict)

    def prepare(self, reductions: str | dict[str, str] | None = None) -> Prepared:
        """Prepare the columns; raises their WireError."""
        return self.kind.prepare(
            self.count, self.values, present=self.present, reductions=reductions
        )


def transposed(kind: type[Columns[Any]], rows: Sequence[Message]) -> Arrays:
    """Return the rows' fields as arrays.

    ``rows``: Protobuf messages of the type the columns are made for. Fields that the schema does
    not know have no column.
    """
    present: dict[str, npt.ArrayLike] = {}
    return Arrays(kind, len(rows), _fields(kind.NODE, rows, present), present)


def _fields(
    node: Node, rows: Sequence[Message], present: dict[str, npt.ArrayLike]
) -> dict[str, object]:
    values: dict[str, object] = {}
    for child in node.children:
        name = child.field_name
        if child.optional:
            has = np.fromiter((row.HasField(name) for row in rows), np.bool_, len(rows))
            if not has.any():
                continue
            present[child.path] = has
        held = [getattr(row, name) for row in rows]
        values[name] = _repeated(child, held, present) if child.repeated else None
        if not child.repeated:
            values[name] = _fields(child, held, present) if child.is_message else _one(child, held)
    return values


def _repeated(node: Node, held: list[Any], present: dict[str, npt.ArrayLike]) -> Any:
    from wirecost_osi._columns import Ragged  # noqa: PLC0415  only there once wirecost is built

    offsets = np.zeros(len(held) + 1, np.int64)
    np.cumsum([len(items) for items in held], out=offsets[1:])
    inner = list(chain.from_iterable(held))
    if node.wraps:
        return Ragged(offsets, inner)
    return Ragged(offsets, _fields(node, inner, present) if node.is_message else _one(node, inner))


def _one(node: Node, held: list[Any]) -> Any:
    """Return one value per element; values of absent fields are ignored."""
    if node.is_text:
        return held
    dtype = {"bool": np.bool_, "enum": np.int32}.get(node.kind, node.kind)
    return np.array(held, dtype)
