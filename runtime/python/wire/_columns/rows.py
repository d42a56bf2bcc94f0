# SPDX-License-Identifier: Apache-2.0
"""Between columns and rows, the generated dataclasses, nothing lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .._wirecost import (
    FAULTS,
    WireError,
    encode_error,
    pack_array,
    unpack_array,
)
from .column import (
    AnyColumn,
    Column,
    Group,
    RepeatedColumn,
    RepeatedGroup,
    RepeatedTextColumn,
    TextColumn,
)
from .data import Data, Mask, both, check_oneof, check_oneofs, lengths_of, offsets_of, text_data
from .node import DTYPES, Node

_CODES = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
"""Codes of the arrays that rows hold."""
_EACH = 16
"""Bytes that a row, a field of a message and an element of a repeated field count for."""


def gathered(root: Node, rows: Sequence[Any]) -> Data:
    """Gather rows as columns. Raises WireError where a row cannot be encoded."""
    try:
        return Data(root, len(rows), None, children=_fields(root, rows, None))
    except FAULTS as fault:
        raise encode_error(rows[0] if rows else rows, fault) from fault


def _fields(node: Node, rows: Sequence[Any], present: Mask | None) -> list[Data]:
    """``rows``: messages, None where absent."""
    there = rows if present is None else [row for row in rows if row is not None]
    for row in there:
        if getattr(row, "unknown_fields", b""):
            raise WireError(f"{type(row).__name__} has unknown fields, which columns cannot hold")
    children = []
    for child in node.children:
        get = attrgetter(child.held)
        if present is None:
            held = list(map(get, rows))
        else:
            held = [None if row is None else get(row) for row in rows]
        children.append(_field(child, held, present))
    check_oneofs(node, children, present)
    return children


def _field(node: Node, held: list[Any], around: Mask | None) -> Data:
    if node.repeated:
        return _repeated(node, held)
    present = around
    if node.lacks:
        own = np.array([value is not None for value in held], np.bool_)
        present = both(around, None if own.all() else own)
    if node.is_message:
        return Data(node, len(held), present, children=_fields(node, held, present))
    if node.is_text:
        if present is around:
            _refuse_none(node, held, around)
        return text_data(node, held, present)
    if present is not None:
        held = [0 if value is None else value for value in held]
    return Data(node, len(held), present, _numbers(node, held))


def _refuse_none(node: Node, held: list[Any], around: Mask | None) -> None:
    there = held if around is None else [v for v, a in zip(held, around.tolist(), strict=True) if a]
    if None in there:
        raise WireError(f"{node.path} cannot be None")


def _numbers(node: Node, held: Sequence[Any]) -> npt.NDArray[Any]:
    dtype = DTYPES[node.kind]
    if node.kind == "bool":
        return np.array([bool(value) for value in held], dtype)
    # Arrays refuse what is no such number or too large; floats are rounded.
    code = {"float32": "d", "enum": "i"}.get(node.kind) or _CODES[node.kind]
    found = np.frombuffer(pack_array(code, held), dtype if code != "d" else "<f8")
    if node.kind != "float32":
        return found
    with np.errstate(over="ignore"):
        rounded = found.astype(dtype)
    if (np.isinf(rounded) & np.isfinite(found)).any():
        raise WireError(f"{node.path} has a value too large for a float")
    return rounded


def _repeated(node: Node, held: list[Any]) -> Data:
    lists = [() if values is None else values for values in held]
    data = Data(node, len(lists), offsets=offsets_of(node, lengths_of(lists)))
    if node.is_map:
        key, value = node.children
        ordered = (sorted(entries.items(), key=_key) for entries in lists if entries)
        entries = list(chain.from_iterable(ordered))
        data.children = [
            _field(key, [entry[0] for entry in entries], None),
            _field(value, [entry[1] for entry in entries], None),
        ]
    elif node.wraps:
        texts = list(chain.from_iterable(lists))
        _refuse_none(node, texts, None)
        data.children = [text_data(node.children[0], texts, None)]
    elif node.is_message:
        data.children = _fields(node, list(chain.from_iterable(lists)), None)
    elif node.kind in ("bool", "enum"):
        data.values = _numbers(node, list(chain.from_iterable(lists)))
    else:
        code = _CODES[node.kind]
        packed = b"".join([pack_array(code, values) for values in lists if len(values)])
        data.values = np.frombuffer(packed, DTYPES[node.kind])
    return data


def _key(entry: tuple[Any, Any]) -> Any:
    return entry[0]


def written(columns: Group, memory: int) -> list[Any]:
    """Return the rows of a root. Raises WireError where they take more than ``memory`` bytes."""
    needed = _EACH * len(columns) + _memory(columns)
    if needed > memory:
        raise WireError(
            f"the rows take about {needed} bytes, allowed are {memory}; if they are wanted give "
            "to_rows more memory"
        )
    return _messages(columns)


def _memory(group: Group) -> int:
    """Return about how many bytes all that is in some messages takes, before any is made.

    Constants and runs stand for any number.
    """
    needed = 0
    for _, child in group.children():
        node = child._node if isinstance(child, Group) else child.node
        needed += _EACH * len(group) * (1 + _zeros(node))
        if isinstance(child, RepeatedGroup):
            needed += _EACH * len(child)
        elif isinstance(child, RepeatedColumn):
            needed += _EACH * int(child.offsets[-1])
        elif isinstance(child, RepeatedTextColumn):
            needed += 2 * _EACH * len(child.texts) + child.texts.size
        elif isinstance(child, TextColumn):
            needed += child.size
        if isinstance(child, Group):
            needed += _memory(child)
    return needed


def _zeros(node: Node) -> int:
    """How many values, and messages, a row has of a fixed array that was not given any."""
    if not node.fixed:
        return 0
    return (node.capacity or 0) * (1 + sum(1 + _zeros(child) for child in node.children))


def _messages(group: Group) -> list[Any]:
    """Return a message an element, None where absent."""
    node, present = group._node, group.present
    if present is not None and node.lacks and not present.any():
        return [None] * len(group)
    _check_oneofs(group)
    _check_required(group)
    make = node.holder
    if make is None:
        raise AssertionError(node)
    columns = dict(group.children())
    held = {child.held: _held(columns[child.field_name]) for child in node.children}
    for child in node.children:
        if child.fixed:  # rows cannot have less of them: what has none gets zeros
            default = attrgetter(child.held)
            held[child.held] = [value or default(make()) for value in held[child.held]]
    names = [item.name for item in dataclasses.fields(make) if item.name in held]  # type: ignore[arg-type]
    lists = [held[name] for name in names]
    if not lists:
        rows = [make() for _ in range(len(group))]
    else:
        rows = [make(*values) for values in zip(*lists, strict=True)]
    if present is None:
        return rows
    if not node.lacks:
        # A row always has this message: where it is absent with the one around it, all is empty.
        return [row if has else make() for row, has in zip(rows, present.tolist(), strict=True)]
    return [row if has else None for row, has in zip(rows, present.tolist(), strict=True)]


def _check_oneofs(group: Group) -> None:
    members: dict[str, list[Mask | None]] = {}
    for child in group.children():
        node = child[1]._node if isinstance(child[1], Group) else child[1].node
        if node.oneof:
            members.setdefault(node.oneof, []).append(child[1].present)
    for oneof, masks in members.items():
        if len(group):
            check_oneof(group._node, oneof, masks, group.present)


def _check_required(group: Group) -> None:
    """Raise WireError where a required field is missing."""
    present = group.present
    if not len(group) or (present is not None and not present.any()):
        return
    for _, child in group.children():
        node = child._node if isinstance(child, Group) else child.node
        if node.required and child._presence.nobody:
            raise WireError(f"{node.path} is required, but no element has it")


def _held(child: AnyColumn | Group) -> list[Any]:
    """Return what the rows' attribute gets, an item an element."""
    if isinstance(child, RepeatedGroup):
        return _lists(child._node, child.offsets, _entries(child))
    if isinstance(child, Group):
        return _messages(child)
    if isinstance(child, RepeatedColumn):
        return _arrays(child)
    if isinstance(child, RepeatedTextColumn):
        return _lists(child.node, child.offsets, list(child.texts))
    if isinstance(child, TextColumn):
        return _absent_as_none(child, list(child))
    return _absent_as_none(child, child.values.tolist())


def _absent_as_none(child: TextColumn[Any] | Column[Any], values: list[Any]) -> list[Any]:
    present = child.present if child.node.lacks else None
    if present is None:
        return values
    return [value if has else None for value, has in zip(values, present.tolist(), strict=True)]


def _entries(group: RepeatedGroup) -> list[Any]:
    if not group._node.is_map:
        return _messages(group)
    keys, values = (_held(child) for _, child in group.children())
    return list(zip(keys, values, strict=True))


def _lists(node: Node, offsets: npt.NDArray[np.uint32], values: list[Any]) -> list[Any]:
    make = dict if node.is_map else list
    _check_capacity(node, offsets)
    ends = offsets.tolist()
    return [make(values[a:b]) for a, b in pairwise(ends)]


def _arrays(column: RepeatedColumn[Any]) -> list[Any]:
    node = column.node
    if node.kind in ("bool", "enum"):
        return _lists(node, column.offsets, column.values.tolist())
    _check_capacity(node, column.offsets)
    width = DTYPES[node.kind].itemsize
    raw = column.values.tobytes()
    ends = (column.offsets.astype(np.int64) * width).tolist()
    pairs = pairwise(ends)
    if node.kind == "uint8":
        return [raw[a:b] for a, b in pairs]
    code = _CODES[node.kind]
    return [unpack_array(code, raw[a:b]) for a, b in pairs]


def _check_capacity(node: Node, offsets: npt.NDArray[np.uint32]) -> None:
    if node.capacity is None or len(offsets) < 2:
        return
    lengths = np.diff(offsets)
    wrong = lengths > node.capacity
    if node.fixed:
        wrong |= (lengths != 0) & (lengths < node.capacity)
    if wrong.any():
        length = lengths[wrong.argmax()]
        raise WireError(f"{node.path} has {length} elements; it takes {node.capacity}")
