# SPDX-License-Identifier: Apache-2.0
"""Points that a file holds as text, in the types that its header declares."""

from __future__ import annotations

import mmap
import re
import warnings
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.system.foreign import shown

EXACT = 2.0**53
"""Integers up to this size are the same as doubles."""

Values = npt.NDArray[np.float64]


def numbers(content: mmap.mmap, start: int) -> Values:
    """Read all numbers behind the header. Raises ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(content[start:].decode("latin-1"), sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise ValueError("its points are not all numbers") from error


def points_of_text(
    content: mmap.mmap,
    start: int,
    values: Values,
    dtype: np.dtype[Any],
    places: list[int],
    skipped: int = 0,
) -> npt.NDArray[Any]:
    """Return points whose values are ``values``, of shape (points, values of a point).

    ``dtype``: of a point; ``places``: where each of its fields begins among the values; ``start``:
    of the text in the file; ``skipped``: values before these. Raises ValueError for a value that
    its type cannot hold.
    """
    points = np.empty(len(values), dtype)
    for name, place in zip(dtype.names or (), places, strict=True):
        base, shape = dtype[name].subdtype or (dtype[name], ())
        for each in range(shape[0] if shape else 1):
            column = _typed(values[:, place + each], base, name)
            if base.kind != "f" and (np.abs(values[:, place + each]) >= EXACT).any():
                column = _whole(content, start, values.shape, skipped + place + each, base)
            if shape:
                points[name][:, each] = column
            else:
                points[name] = column
    return points


def _typed(values: Values, base: np.dtype[Any], name: str) -> npt.NDArray[Any]:
    with np.errstate(over="ignore", invalid="ignore"):
        typed = values.astype(base)
        held = np.isinf(typed) <= np.isinf(values) if base.kind == "f" else typed == values
    if not held.all():
        value = values[~held][0]
        raise ValueError(f"field {shown(name, 30)} is {base.name}, which cannot hold {value:.17g}")
    return typed


def _whole(
    content: mmap.mmap, start: int, shape: tuple[int, ...], place: int, base: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Return a column of integers that doubles are too short for."""
    words = islice(re.finditer(rb"\S+", memoryview(content)[start:]), place, None, shape[1])
    try:
        return np.fromiter((int(word[0]) for word in islice(words, shape[0])), base, shape[0])
    except (ValueError, OverflowError) as error:
        raise ValueError(f"its values are not all of {base.name}") from error
