# SPDX-License-Identifier: Apache-2.0
"""Arrow's arrays as their buffers, by the columnar format's layout of each type.

An array is ``[length, offset, [buffer or None, …], [child, …], dictionary or None]``. Only the part
of the buffers that a slice sees is sent, cut at whole bytes of its bitmaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.arrow_types import has_views
from wirecost.messaging.tensor.arrow_views import check_hidden_views, check_lengths
from wirecost.messaging.tensor.budget import MOST_WITHOUT_MEMORY, Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Writer
from wirecost.system.errors import UserError

Made = Callable[[tuple[Any, ...]], Any]
_LARGEST = 1 << 40
_ARRAY_BYTES, _ARRAY_NANOSECONDS = 600, 8_000
"""Cost of one array beside its memory."""


def write_array(array: Any, writer: Writer) -> list[Any]:
    """Raise UserError for unions, run-end encoding and list views."""
    pa = load("pyarrow")
    types, kind = pa.types, array.type
    if kind.id not in _plain_ids():
        if isinstance(kind, pa.BaseExtensionType):
            return write_array(array.storage, writer)
        if types.is_dictionary(kind):
            node = write_array(array.indices, writer)
            return [*node[:4], write_array(array.dictionary, writer)]
        if types.is_null(kind):
            return [len(array), 0, [None], [], None]
        if types.is_struct(kind):
            # PyArrow cuts the fields at the element: so must be the bitmap.
            fields = [write_array(array.field(i), writer) for i in range(kind.num_fields)]
            return [len(array), 0, [_shifted(array, writer)], fields, None]
    base, rest = array.offset // 8 * 8, array.offset % 8
    buffers, children = _parts(array, base, len(array) + rest, writer)
    return [len(array), rest, buffers, [write_array(child, writer) for child in children], None]


def _parts(array: Any, base: int, count: int, writer: Writer) -> tuple[list[Any], list[Any]]:
    """Return buffers and children of ``count`` elements from ``base``."""
    types, kind, buffers = load("pyarrow").types, array.type, array.buffers()
    children: list[Any] = []
    pieces = [_cut(buffers[0], base // 8, -(-count // 8))]
    if types.is_fixed_size_list(kind):
        first, size = base * kind.list_size, count * kind.list_size
        values = array.values
        children = [values if len(values) == size else values.slice(first, size)]
    elif types.is_boolean(kind):
        pieces.append(_cut(buffers[1], base // 8, -(-count // 8)))
    elif types.is_primitive(kind) or types.is_fixed_size_binary(kind) or types.is_decimal(kind):
        size = kind.bit_width // 8
        pieces.append(_cut(buffers[1], base * size, count * size))
    elif types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        offsets, first, last = _offsets(buffers[1], base, count, types.is_large_list(kind), writer)
        values = entries(array) if types.is_map(kind) else array.values
        pieces.append(offsets)
        children = [values.slice(first, last - first)]
    elif types.is_binary(kind) or types.is_string(kind):
        pieces += _texts(buffers, base, count, False, writer)
    elif types.is_large_binary(kind) or types.is_large_string(kind):
        pieces += _texts(buffers, base, count, True, writer)
    elif types.is_string_view(kind) or types.is_binary_view(kind):
        pieces.append(_cut(buffers[1], base * 16, count * 16))
        pieces += [_cut(buffer, 0, buffer.size) for buffer in buffers[2:]]
    else:
        raise UserError(f"pyarrow: frames have no form for {kind}; cast it, as to a list or struct")
    return pieces, children


def _shifted(array: Any, writer: Writer) -> npt.NDArray[np.uint8] | None:
    base, rest = divmod(array.offset, 8)
    bits = _cut(array.buffers()[0], base, -(-(len(array) + rest) // 8))
    if bits is None or not rest:
        return bits
    writer.copied(bits.nbytes)
    ordered = np.unpackbits(bits, bitorder="little")[rest:]
    return np.packbits(ordered, bitorder="little")


def _texts(buffers: Any, base: int, count: int, wide: bool, writer: Writer) -> list[Any]:
    offsets, first, last = _offsets(buffers[1], base, count, wide, writer)
    return [offsets, _cut(buffers[2], first, last - first)]


def entries(array: Any) -> Any:
    """Return keys and items of maps as structs."""
    pa = load("pyarrow")
    fields = [array.type.key_field, array.type.item_field]
    return pa.StructArray.from_arrays([array.keys, array.items], fields=fields)


def _cut(buffer: Any, start: int, size: int) -> npt.NDArray[np.uint8] | None:
    if buffer is None:
        return None
    whole: npt.NDArray[np.uint8] = np.frombuffer(buffer, np.uint8)
    return whole[start : start + size] if start or size < len(whole) else whole


def _offsets(
    buffer: Any, base: int, count: int, wide: bool, writer: Writer
) -> tuple[npt.NDArray[Any], int, int]:
    kind = np.dtype(np.int64 if wide else np.int32)
    if buffer is None or buffer.size < kind.itemsize:
        return np.zeros(1, kind), 0, 0
    offsets: npt.NDArray[Any] = np.frombuffer(buffer, kind, buffer.size // kind.itemsize)
    offsets = offsets[base : base + count + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    if first:
        offsets = offsets - first
        writer.copied(offsets.nbytes)
    return offsets, first, last


def read_array(kind: Any, node: Any, budget: Budget) -> Any:
    """Return an array over the buffers in ``node``.

    Raises what PyArrow raises where it is invalid.
    """
    pa = load("pyarrow")
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, read_array(kind.storage_type, node, budget))
    budget.take("an Arrow array", _ARRAY_BYTES, _ARRAY_NANOSECONDS)
    length, offset, buffers, children, dictionary = node
    if not (0 <= length < _LARGEST and 0 <= offset < 8):
        raise ValueError(f"an array of {length} elements at {offset}")
    if length > MOST_WITHOUT_MEMORY and not any(b is not None and b.nbytes for b in buffers):
        raise ValueError(f"{length} elements without memory")
    if pa.types.is_dictionary(kind):
        indices = read_array(kind.index_type, [*node[:4], None], budget)
        values = read_array(kind.value_type, dictionary, budget)
        array = pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)
        return array.cast(kind) if array.type != kind else array
    views = has_views(kind) and not kind.num_fields
    if views and any(buffer is None for buffer in buffers[1:]):
        # Arrow ends the program where it looks at views that are not there.
        raise ValueError("views without memory")
    array = pa.Array.from_buffers(
        kind,
        length,
        [None if buffer is None else _buffer(pa, buffer) for buffer in buffers],
        0 if buffers[0] is None else -1,
        offset,
        [read_array(_child(pa, kind, i), child, budget) for i, child in enumerate(children)]
        or None,
    )
    if views:
        check_lengths(array, budget)
    array.validate(full=not (pa.types.is_primitive(kind) or pa.types.is_boolean(kind)))
    if views:
        check_hidden_views(array)
    return array


def plan_array(kind: Any, node: Any, places: Iterator[int]) -> Made | None:
    """Return what makes an array as the valid one in ``node`` of a message's arrays.

    ``places``: of the arrays, in their order. Returns None for types whose validity follows from
    what is in them.
    """
    pa = load("pyarrow")
    if kind.id not in _plain_ids():
        return None
    length, offset, buffers, children, _ = node
    if any(buffer is not None and buffer.dtype != np.uint8 for buffer in buffers):
        return None
    chosen_buffers = [None if buffer is None else next(places) for buffer in buffers]
    nulls = 0 if buffers[0] is None else -1
    child_plans = [
        plan_array(_child(pa, kind, i), child, places) for i, child in enumerate(children)
    ]
    inner = [make for make in child_plans if make is not None]
    if len(inner) < len(child_plans):
        return None
    buffer, from_buffers = pa.py_buffer, pa.Array.from_buffers

    def make(arrays: tuple[Any, ...]) -> Any:
        return from_buffers(
            kind,
            length,
            [None if place is None else buffer(arrays[place]) for place in chosen_buffers],
            nulls,
            offset,
            [child(arrays) for child in inner] or None,
        )

    return make


@cache
def _plain_ids() -> frozenset[int]:
    """Return numbers, and lists of a fixed size."""
    lib = load("pyarrow").lib
    sizes = [f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
    return frozenset(
        getattr(lib, f"Type_{name}")
        for name in ("BOOL", "HALF_FLOAT", "FLOAT", "DOUBLE", "FIXED_SIZE_LIST", *sizes)
    )


def _buffer(pa: Any, array: Any) -> Any:
    if array.dtype != np.uint8:
        array = array.view(np.uint8)
    return pa.py_buffer(array)


def _child(pa: Any, kind: Any, index: int) -> Any:
    if pa.types.is_map(kind):
        return pa.struct([kind.key_field, kind.item_field])
    return kind.field(index).type
