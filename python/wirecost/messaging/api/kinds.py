# SPDX-License-Identifier: Apache-2.0
"""Kinds of what a message consists of.

The objects themselves are asked: no framework is imported for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isnan
from typing import Any

from wirecost.system.printable import shortened, shown

MOST_FIELDS = 8
"""Fields of a dict that are described."""
MOST_LETTERS = 240
_COUNTED = frozenset({dict, list, tuple, set, frozenset, str, bytes, bytearray})
_NAMES = {"jaxlib": "jax", "PIL": "pillow"}
"""Packages that are called otherwise than they are imported."""
_ARRAYS = ("ndarray", "tensor", "parameter", "variable", "arrayimpl")
"""Ends of the names of what is a framework's array and nothing more."""
_QUALIFIED = re.compile(r"(?:torch|paddle)\.(\w+)")


def dtype_name(dtype: Any) -> str:
    """Return a type of elements as it is commonly written, such as ``float32``."""
    if isinstance(dtype, str):
        return dtype
    if isinstance(dtype, type):  # as MXNet has them
        return dtype.__name__
    text = str(dtype)
    if matched := _QUALIFIED.fullmatch(text):
        return matched[1]
    name = getattr(dtype, "name", None)
    # NumPy has one name for all structures of a size.
    return name if isinstance(name, str) and not getattr(dtype, "names", None) else text


def dtype_of(value: Any) -> str | None:
    """Return the type of its elements; None of what is no array."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        if _package(value) != "pyarrow" or not hasattr(value, "to_pylist"):
            return None
        dtype = getattr(value, "type", None)  # which tables have not
    try:
        return _known(dtype)
    except TypeError:
        return None  # a column of a table that is called dtype


@lru_cache(256)
def _known(dtype: Any) -> str | None:
    return None if dtype is None else dtype_name(dtype)


def shape_of(value: Any) -> tuple[int | None, ...]:
    """Return the extents of an array; None for one that it does not know, as Dask may not."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return (len(value),)
    return tuple(None if extent is None or isnan(extent) else int(extent) for extent in shape)


def kind_of(value: Any) -> str:
    """Return the kind in a word or two: ``numpy``, ``pandas DataFrame``, ``float``."""
    package, name = _package(value), type(value).__name__
    if package == "builtins":
        return "None" if value is None else name
    package = _NAMES.get(package, package)
    plain = name.lower().endswith(_ARRAYS) or name == dtype_of(value)
    return package if plain else f"{package} {name}"


def described(value: Any) -> str:
    """Return one line of some ``MOST_LETTERS``: kinds, types of elements and shapes, no values."""
    text = _fields(value, 2) if type(value) is dict and value else _described(value, 2)
    return shortened(shown(text, 2 * MOST_LETTERS), MOST_LETTERS)


def _described(value: Any, levels: int) -> str:
    if type(value) is dict and value and levels:
        return f"{{{_fields(value, levels)}}}"
    if type(value) in _COUNTED:
        return f"{type(value).__name__} of {len(value)}"
    kind, dtype = kind_of(value), dtype_of(value)
    if dtype is not None:
        return f"{kind} {dtype} {shape_of(value)}"
    shape = getattr(value, "shape", None)
    return f"{kind} {shape}" if isinstance(shape, tuple) else kind


def _fields(message: dict[Any, Any], levels: int) -> str:
    first = list(message.items())[:MOST_FIELDS]
    fields = [f"{shown(key, 40)}: {_described(item, levels - 1)}" for key, item in first]
    if len(message) > MOST_FIELDS:
        fields.append(f"{len(message) - MOST_FIELDS} more")
    return ", ".join(fields)


def _package(value: Any) -> str:
    return type(value).__module__.partition(".")[0]
