# SPDX-License-Identifier: Apache-2.0
"""Kinds of what a message consists of.

The objects themselves are asked: no framework is imported for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isnan
from typing import Any

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


def _package(value: Any) -> str:
    return type(value).__module__.partition(".")[0]
