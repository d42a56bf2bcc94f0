# SPDX-License-Identifier: Apache-2.0
"""From a user's arrays to data: every value is checked to be what the schema says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .data import Data, Mask, both, check_oneofs, lengths_of, offsets_of, text_data
from .node import DTYPES, MOST_ELEMENTS, Node

Array = npt.ArrayLike


@dataclass(frozen=True)
class Ragged:
    """Values of a repeated field: element i has those from ``offsets[i]`` up to ``offsets[i + 1]``.

    ``values`` are what one field of so many elements takes; of a text instead all bytes in one.
    """

    offsets: npt.ArrayLike
    values: Any


def built(root: Node, count: int, values: Mapping[str, Any], present: Mapping[str, Array]) -> Data:
    """Build the columns. Raises WireError."""
    if not 0 <= count <= MOST_ELEMENTS:
        raise WireError(f"{count} is no number of elements; there can be {MOST_ELEMENTS}")
    builder = _Builder(present)
    data = builder.message(root, count, values, None)
    if unused := sorted(present.keys() - builder.used):
        raise WireError(f"present has {unused[0]!r}, which has no values or cannot be absent")
    return data


class _Builder:
    def __init__(self, present: Mapping[str, Array]) -> None:
        self._present = present
        self.used: set[str] = set()

    def message(self, node: Node, count: int, values: Any, around: Mask | None) -> Data:
        given = _by_field(node, values)
        children = [self._field(child, count, given, around) for child in node.children]
        check_oneofs(node, children, around)
        return Data(node, count, around, children=children)

    def _field(self, node: Node, count: int, given: Mapping[str, Any], around: Mask | None) -> Data:
        name = node.field_name
        if name not in given:
            return _nothing(node, count, around)
        value = given[name]
        if node.repeated:
            return self._repeated(node, count, value, around)
        present = self._mask(node, count, value, around)
        if node.is_message:
            data = self.message(node, count, value, present)
        elif node.is_text:
            data = _text(node, count, value, present)
        else:
            data = Data(node, count, present, _scalars(node, count, value, present))
        return data

    def _mask(self, node: Node, count: int, value: Any, around: Mask | None) -> Mask | None:
        """Which elements have a single field: as ``present``, a mask or None among values says."""
        own: Mask | None = None
        if node.optional and node.path in self._present:
            self.used.add(node.path)
            own = np.asarray(self._present[node.path])
            if own.shape != (count,) or own.dtype != np.bool_:
                raise WireError(f"present[{node.path!r}] is no array of {count} bools")
        found = _mask_in(value)
        if found is not None and not node.optional and not found.all():
            raise WireError(f"{node.path} cannot be absent; give all elements a value")
        if found is not None and found.shape != (count,):
            raise _shape_error(node, found.shape, count)
        return both(both(own, found), around)

    def _repeated(self, node: Node, count: int, value: Any, around: Mask | None) -> Data:
        values, offsets = _ragged(node, count, value)
        if around is not None and np.diff(offsets)[~around].any():
            raise WireError(f"{node.path} has elements where the message around it is absent")
        last = int(offsets[-1])
        data = Data(node, count, around, offsets=offsets)
        if node.wraps:
            data.children = [_text(node.children[0], last, values, None)]
        elif node.is_message:
            data.children = self.message(node, last, values, None).children
        else:
            data.values = _scalars(node, last, values, None)
        return data


def _by_field(node: Node, values: Any) -> dict[str, Any]:
    """Dotted names as mappings in mappings."""
    place = node.path or "the columns"
    if not isinstance(values, Mapping):
        raise WireError(f"{place} takes a mapping of fields, not {type(values).__name__}")
    given: dict[str, Any] = {}
    known = {child.field_name: child for child in node.children}
    for key, value in values.items():
        name, _, rest = key.partition(".")
        if name not in known or (rest and not known[name].is_message):
            raise WireError(f"{place} has no field {key!r}; there are {', '.join(known)}")
        held = {rest: value} if rest else value
        if name in given:
            before = given[name]
            merge = isinstance(before, Mapping) and isinstance(held, Mapping)
            if not merge or before.keys() & held.keys():
                raise WireError(f"{place} has {key!r} twice")
            held = {**before, **held}
        given[name] = held
    return given


def _nothing(node: Node, count: int, around: Mask | None) -> Data:
    """Return a field no value was given for: absent, or the default of what cannot be absent."""
    if node.optional:
        return Data(node, count, np.broadcast_to(np.False_, count))
    if node.required and count:
        raise WireError(f"{node.path} is required; give its values")
    data = Data(node, count, around)
    if node.repeated:
        # Of a fixed array there are zeros.
        many = node.capacity or 0 if node.fixed else 0
        there = np.full(count, many) if around is None else many * around.astype(np.int64)
        data.offsets = offsets_of(node, there)
        count, around = int(data.offsets[-1]), None
        if not node.is_message:
            data.values = np.zeros(count, DTYPES[node.kind])
    data.children = [_nothing(child, count, around) for child in node.children]
    return data


def _mask_in(value: Any) -> Mask | None:
    if isinstance(value, np.ma.MaskedArray):
        return ~np.ma.getmaskarray(value)
    if isinstance(value, (list, tuple)) and any(item is None for item in value):
        return np.array([item is not None for item in value], np.bool_)
    return None


def _scalars(node: Node, count: int, value: Any, present: Mask | None) -> npt.NDArray[Any]:
    """Values of the field's own type, 0 where absent."""
    if isinstance(value, np.ma.MaskedArray):
        value = value.filled(0)
    elif isinstance(value, (list, tuple)):
        value = [0 if item is None else item for item in value]
        if not value:
            value = np.empty(0, DTYPES[node.kind])
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise WireError(f"{node.path} cannot be an array: {error}") from None
    if array.ndim and array.shape != (count,):
        raise _shape_error(node, array.shape, count)
    found = np.ascontiguousarray(np.broadcast_to(_cast(node, array, present), count))
    return found if present is None else np.where(present, found, np.zeros((), found.dtype))


def _cast(node: Node, array: npt.NDArray[Any], present: Mask | None) -> npt.NDArray[Any]:
    """Return the same numbers in the field's type; real ones rounded to it."""
    dtype = DTYPES[node.kind]
    if array.dtype == dtype:
        return array
    kinds = {"b": "b", "f": "fiub"}.get(dtype.kind, "iub")
    if array.dtype.kind in "iu" and dtype.kind == "b" and np.isin(array, (0, 1)).all():
        return array.astype(dtype)
    if array.dtype.kind not in kinds:
        raise WireError(f"{node.path} takes {node.kind}, not {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        found = array.astype(dtype)
        if array.dtype.kind == "f":
            wrong = np.isinf(found) & np.isfinite(array)
        else:
            # As Python numbers where types differ in sign, lest both be rounded to be compared.
            wrong = found.astype(array.dtype) != array
            if dtype.kind in "iu" and array.dtype.kind in "iu":
                wrong |= (found < 0) != (array < 0)
    if present is not None and wrong.ndim:
        wrong = wrong & present
    if wrong.any():
        value = array[wrong.argmax()] if wrong.ndim else array
        raise WireError(f"{node.path} takes {node.kind}, which {value} does not fit")
    return found


def _text(node: Node, count: int, value: Any, present: Mask | None) -> Data:
    if isinstance(value, Ragged):
        return _packed_text(node, count, value, present)
    if isinstance(value, (str, bytes)):
        value = [value] * count
    texts = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(texts, Sequence) or len(texts) != count:
        raise WireError(f"{node.path} takes {count} texts, or Ragged(offsets, bytes)")
    if present is not None:
        texts = [text if has else None for text, has in zip(texts, present.tolist(), strict=True)]
    try:
        return text_data(node, texts, present)
    except ValueError as error:
        raise WireError(f"{node.path} cannot be written: {error}") from None


def _packed_text(node: Node, count: int, value: Ragged, present: Mask | None) -> Data:
    content = bytes(memoryview(value.values).cast("B"))
    offsets = _offsets(node, count, value.offsets)
    if int(offsets[-1]) != len(content):
        raise WireError(f"{node.path} has {len(content)} bytes, its offsets end at {offsets[-1]}")
    if present is not None and np.diff(offsets)[~present].any():
        raise WireError(f"{node.path} has bytes where it is absent")
    data = Data(node, count, present, content=content, offsets=offsets)
    if node.kind == "string":
        _check_utf8(node, data.content, offsets)
    return data


def _check_utf8(node: Node, content: bytes, offsets: npt.NDArray[np.uint32]) -> None:
    """All in one is UTF-8, and no text begins within a character."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise WireError(f"{node.path} has a string that is not UTF-8: {error.reason}") from None
    raw = np.frombuffer(content, np.uint8)
    starts = offsets[offsets < len(raw)]
    if (raw[starts] & 0xC0 == 0x80).any():
        raise WireError(f"{node.path} has a string that is not UTF-8: it begins in a character")


def _offsets(node: Node, count: int, given: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    found = np.asarray(given)
    if found.dtype.kind not in "iu" or found.shape != (count + 1,):
        raise WireError(f"{node.path} takes {count + 1} offsets")
    wide = found.astype(np.int64)
    if wide[0] or (np.diff(wide) < 0).any():
        raise WireError(f"{node.path} has offsets that do not start at 0 or go back")
    return offsets_of(node, np.diff(wide))


def _ragged(node: Node, count: int, value: Any) -> tuple[Any, npt.NDArray[np.uint32]]:
    """All values in one, and the offsets."""
    if isinstance(value, Ragged):
        return value.values, _offsets(node, count, value.offsets)
    if (node.is_message and not node.wraps) or isinstance(value, (str, bytes, Mapping)):
        raise WireError(f"{node.path} takes Ragged(offsets, values)")
    try:
        parts = list(value)
        offsets = offsets_of(node, lengths_of(parts))
    except TypeError:
        raise WireError(f"{node.path} takes a sequence of values an element") from None
    if len(parts) != count:
        raise _shape_error(node, (len(parts),), count)
    if node.wraps:
        return [text for part in parts for text in part], offsets
    arrays = [
        np.frombuffer(part, np.uint8) if isinstance(part, (bytes, bytearray)) else np.asarray(part)
        for part in parts
        if len(part)
    ]
    return (np.concatenate(arrays) if arrays else []), offsets


def _shape_error(node: Node, shape: tuple[int, ...], count: int) -> WireError:
    return WireError(f"{node.path} takes {count} values, not an array of shape {shape}")
