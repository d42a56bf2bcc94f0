# SPDX-License-Identifier: Apache-2.0
"""A received message in short, as JSON has it.

Arrays have type, shape, range and first values, tables their columns, dicts their fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.api.kinds import dtype_of, kind_of
from wirecost.system.printable import shortened

FIRST = 6
"""Values of an array, and items of a list, that are shown."""
MOST_FIELDS = 64
"""Fields of a dict, and columns of a table, that are shown."""
MOST_LETTERS = 200
MOST_NESTED = 8
KIND = "kind"
"""Key in the summary of everything that is no dict, list or plain value."""

Summary = dict[str, Any]
"""Summary of a value that is more than a number or a text, as JSON has it."""


def summary(value: Any, levels: int = MOST_NESTED) -> Any:
    """Return plain values, lists and dicts of texts, none longer than the limits above."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {KIND: type(value).__name__, "bytes": len(value), "first": list(value[:FIRST])}
    if isinstance(value, dict) and levels:
        return _fields(value.items(), len(value), levels)
    if isinstance(value, list | tuple | set | frozenset) and levels:
        first = [summary(item, levels - 1) for _, item in zip(range(FIRST), value, strict=False)]
        return {KIND: type(value).__name__, "items": len(value), "first": first}
    if value is None or isinstance(value, bool | float | str) or type(value) is int:
        return _plain(value)
    return _object(value, levels) if levels else {KIND: kind_of(value)}


def _object(value: Any, levels: int) -> Any:
    kind = kind_of(value)
    columns = _columns(value)
    if columns is not None:
        rows = int(value.shape[0])
        inner = _fields(columns, int(value.shape[1]), levels)
        return {KIND: kind, "rows": rows, "columns": inner}
    if kind == "xarray Dataset":
        return {KIND: kind, "variables": _fields(value.items(), len(value), levels)}
    array = _array(value)
    if array is None:
        return {KIND: kind, "text": _text(value)}
    fields = {KIND: kind, "dtype": dtype_of(value) or str(array.dtype), "shape": list(array.shape)}
    if kind == "pint Quantity":
        fields["units"] = _text(value.units)
    return fields | _values(array)


def _fields(items: Iterable[tuple[Any, Any]], count: int, levels: int) -> Summary:
    fields = {
        _text(key): summary(item, levels - 1)
        for _, (key, item) in zip(range(MOST_FIELDS), items, strict=False)
    }
    return fields | ({"…": f"{count - MOST_FIELDS} more"} if count > MOST_FIELDS else {})


def _columns(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return name and content of a table's columns, of any framework; None if it is no table."""
    match kind_of(value):
        case "pandas DataFrame":
            return ((name, value.iloc[:, at]) for at, name in enumerate(value.columns))
        case "polars DataFrame":
            return ((column.name, column) for column in value.iter_columns())
        case "pyarrow Table" | "pyarrow RecordBatch":
            return zip(value.schema.names, value.columns, strict=True)
    return None


def _array(value: Any) -> npt.NDArray[Any] | None:
    """Return what NumPy can show of a value: all of an array, the pixels of an image."""
    if hasattr(value, "magnitude"):
        value = value.magnitude
    if dtype_of(value) is None and not hasattr(value, "__array_interface__"):
        return None
    with suppress(Exception):  # of the framework's own
        return np.asarray(value)
    return None


def _values(array: npt.NDArray[Any]) -> Summary:
    flat = array.reshape(-1) if array.flags.c_contiguous else array.flat
    fields: Summary = {"first": [_plain(value) for value in flat[:FIRST]]}
    if not array.size or not array.ndim:
        return fields
    if array.dtype.kind in "mM":
        return {"min": _plain(array.min()), "max": _plain(array.max())} | fields
    if _is_narrow(array.dtype):
        array = array.astype(np.float32)
    return (_range(array) if array.dtype.kind in "biuf" else {}) | fields


def _range(numbers: npt.NDArray[Any]) -> Summary:
    """Return range and mean of the finite numbers."""
    finite = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
    rest = {} if finite.size == numbers.size else {"not_finite": numbers.size - finite.size}
    if not finite.size:
        return rest
    mean = float(finite.mean(dtype=np.float64))
    return {"min": _plain(finite.min()), "mean": mean, "max": _plain(finite.max())} | rest


def _is_narrow(dtype: np.dtype[Any]) -> bool:
    """Return whether the type is one such as bfloat16."""
    return dtype.type.__module__ == "ml_dtypes"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, or else its text."""
    if isinstance(value, np.generic):
        if _is_narrow(value.dtype):
            value = float(value)
        elif value.dtype.kind in "biufSU":
            value = value.item()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= 64 else shortened(hex(value), MOST_LETTERS)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return _text(value)


def _text(value: Any) -> str:
    try:
        return shortened(str(value), MOST_LETTERS)
    except ValueError:  # an integer of more digits than Python writes
        return kind_of(value)
