# SPDX-License-Identifier: Apache-2.0
"""Element types on the wire and in NumPy."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.packages import load
from wirecost.system.errors import UserError

NARROW: dict[str, np.dtype[Any]] = {
    "bfloat16": np.dtype("<u2"),
    "float8_e4m3fn": np.dtype("u1"),
    "float8_e4m3fnuz": np.dtype("u1"),
    "float8_e4m3b11fnuz": np.dtype("u1"),
    "float8_e5m2": np.dtype("u1"),
    "float8_e5m2fnuz": np.dtype("u1"),
}
"""Types that NumPy has not, and integers of their size."""

_PLAIN = re.compile(r"[<>|](?:[biufcSUV]\d{1,9}|[mM]8(?:\[\d{0,9}[a-zA-Zμ]{1,7}\])?)", re.ASCII)
_MOST_NESTED = 16


def describe(dtype: Any, nested: int = 0) -> Any:
    """Return the wire's form. Raises UserError for what is a reference or unknown."""
    if nested > _MOST_NESTED:
        raise UserError(f"dtype {dtype}: nested too deeply")
    if dtype.subdtype is not None:
        item, shape = dtype.subdtype
        return ["array", describe(item, nested + 1), list(shape)]
    if dtype.fields is not None and dtype.names is not None:
        fields = [
            [name, describe(dtype.fields[name][0], nested + 1), dtype.fields[name][1]]
            for name in dtype.names
        ]
        return ["struct", dtype.itemsize, fields]
    if dtype.type.__module__ == "ml_dtypes" and dtype.name in NARROW:
        return dtype.name
    if dtype.kind == "O":
        raise UserError(
            "an array of Python objects (dtype object) has no memory that can be sent:"
            " give it a type, as with astype(float) or astype(str)"
        )
    if dtype.kind == "T":
        raise UserError(
            "an array of StringDType is not in one block of memory: send array.astype('U')"
        )
    if not _PLAIN.fullmatch(dtype.str) or dtype.type.__module__ != "numpy":
        raise UserError(f"dtype {dtype}: frames do not support it; convert the array")
    return dtype.str


def understand(described: Any) -> np.dtype[Any]:
    """Return a NumPy type from the wire's form.

    Raises FrameError, and UserError without ml_dtypes.
    """
    if isinstance(described, str):
        return _named(described)
    try:
        return _composed(described, 0)
    except (TypeError, ValueError, OverflowError) as error:
        raise FrameError(f"frame: an element type cannot be: {cause(error)}") from error


def stored(described: Any) -> np.dtype[Any]:
    """Return the type as it is stored: integers for what NumPy has not."""
    if isinstance(described, str) and described in NARROW:
        return NARROW[described]
    return understand(described)


@lru_cache(1024)
def _named(name: str) -> np.dtype[Any]:
    if name in NARROW:
        remedy = 'decode with as_="torch", as_="jax" or another framework that has it'
        dtype: np.dtype[Any] = np.dtype(getattr(load("ml_dtypes", remedy), name))
        return dtype
    if not _PLAIN.fullmatch(name):
        raise FrameError(f"frame: element type {name[:40]!r} is unknown")
    try:
        return np.dtype(name)
    except (TypeError, ValueError, OverflowError) as error:
        raise FrameError(f"frame: element type {name!r}: {cause(error)}") from error


def _composed(described: Any, nested: int) -> np.dtype[Any]:
    if nested > _MOST_NESTED:
        raise FrameError("frame: an element type is nested too deeply")
    match described:
        case str():
            return _named(described)
        case ["array", item, list(shape)]:
            return np.dtype((_composed(item, nested + 1), tuple(shape)))
        case ["struct", int(size), list(fields)]:
            names, formats, offsets = [], [], []
            for name, item, offset in fields:
                names.append(name)
                formats.append(_composed(item, nested + 1))
                offsets.append(offset)
            return np.dtype(
                {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
            )
    raise FrameError("frame: an element type cannot be read")
