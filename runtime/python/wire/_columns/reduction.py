# SPDX-License-Identifier: Apache-2.0
"""Choosing how a column is stored: the same form for the same values in every language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .data import Data
from .node import DTYPES, OFFSET, Node, Reduction
from .stored import narrowed

Array = npt.NDArray[Any]
_EXACT_WHOLE = 1 << 53
"""Largest magnitude of whole numbers that doubles hold one by one."""
_SHRINK = 1 - 2.0**-20
"""Steps are a little shorter than twice the error, so that rounding does not exceed it."""


@dataclass(frozen=True)
class Form:
    """What is written of a scalar field, but for presence and the offsets of a repeated one."""

    column: Array | None = None
    constant: Any = None
    scale: float | None = None
    base: float | None = None
    starts: npt.NDArray[np.uint32] | None = None


def choose(data: Data, reduction: Reduction) -> Form:
    """Return the form of a scalar field that some element has."""
    values, node = data.values, data.node
    if values is None:
        raise AssertionError(node)
    if reduction.form == "exact":
        return Form(_plain(node, values))
    mask = None if node.repeated else data.present
    those = values if mask is None else values[mask]
    if those.size and not (bits(those) != bits(those[:1])).any():
        return Form(constant=those[0])
    form = _reduced(node, values, those, mask, reduction)
    return form if node.repeated else _in_runs(form)


def bits(values: Array) -> Array:
    """Numbers as unsigned integers of the same bits; NaN equals itself, -0 is not 0."""
    return values.view(f"<u{values.dtype.itemsize}")


def _plain(node: Node, values: Array) -> Array:
    """Return the type's own array."""
    if node.kind == "enum" and not bits(values).max(initial=0) > 255:
        return values.astype(np.uint8)
    return values


def _reduced(
    node: Node, values: Array, those: Array, mask: Array | None, reduction: Reduction
) -> Form:
    """``those``: the values that mean something."""
    if reduction.form == "error":
        found = _within(values, those, mask, reduction.error)
        if found is not None:
            return found
    if node.kind == "float64":
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            narrow = values.astype("<f4")
        same = (bits(narrow.astype("<f8")) == bits(values)).all()
        rounds = reduction.form == "float32" and not (np.isinf(narrow) & ~np.isinf(values)).any()
        return Form(narrow if same or rounds else values)
    if node.kind in ("bool", "enum", "float32"):
        return Form(_plain(node, values))
    return _offset_from_least(values, those, mask)


def _offset_from_least(values: Array, those: Array, mask: Array | None) -> Form:
    least, greatest = (int(those.min()), int(those.max())) if those.size else (0, 0)
    width = _least_width(greatest - least, values.dtype.itemsize)
    if width is None or abs(least) > _EXACT_WHOLE:
        return Form(values)
    # Differences modulo 2⁶⁴ are right although the numbers may be signed.
    wide = values if values.dtype.kind == "u" else values.astype("<i8").view("<u8")
    stored = wide.astype("<u8") - np.uint64(least % (1 << 64))
    return _scaled(stored, mask, width, 1.0, float(least))


def _within(values: Array, those: Array, mask: Array | None, error: float) -> Form | None:
    """Return steps of about twice the error; None where that does not do."""
    if not those.size or not np.isfinite(those).all():
        return None
    exact = those.astype("<f8")
    base = float(exact[exact.argmin()])
    scale = 2 * error * _SHRINK
    with np.errstate(all="ignore"):
        steps = np.floor((exact - base) / scale + 0.5)
        if not (steps < 1 << 32).all():
            return None
        got = (base + scale * steps).astype(values.dtype).astype("<f8")
        if not (np.abs(got - exact) <= error).all():
            return None
    width = _least_width(int(steps.max()), values.dtype.itemsize)
    if width is None:
        return None
    stored = np.zeros(len(values), "<u8")
    stored[slice(None) if mask is None else mask] = steps.astype("<u8")
    return _scaled(stored, None, width, scale, base)


def _least_width(most: int, own: int) -> int | None:
    """Return the smallest width below the type's own that holds a number."""
    widths = (width for width in (1, 2, 3, 4) if width < own and most < 1 << 8 * width)
    return next(widths, None)


def _scaled(stored: Array, mask: Array | None, width: int, scale: float, base: float) -> Form:
    if mask is not None:
        stored = np.where(mask, stored, np.uint64(0))
    return Form(narrowed(stored.astype("<u4"), width), scale=scale, base=base)


def _in_runs(form: Form) -> Form:
    column = form.column
    if column is None or not len(column):
        return form
    many, width = len(column), column.itemsize * (column.shape[1] if column.ndim > 1 else 1)
    raw = column if column.ndim > 1 else bits(column)
    changes = raw[1:] != raw[:-1]
    if changes.ndim > 1:
        changes = changes.any(axis=1)
    runs = int(np.count_nonzero(changes)) + 1
    if not 4 * (runs + 1) + width * runs < width * many:
        return form
    starts = np.empty(runs + 1, OFFSET)
    starts[0], starts[-1] = 0, many
    starts[1:-1] = np.flatnonzero(changes) + 1
    return replace(form, column=column[starts[:-1]], starts=starts)


def constant_bytes(node: Node, value: Any) -> bytes:
    """Return a constant without its tag; a bool is a varint of one byte."""
    dtype = DTYPES[node.kind]
    if node.kind != "bool" and dtype.itemsize < 4:
        dtype = np.dtype("<i4" if dtype.kind == "i" else "<u4")
    return np.array(value, dtype).tobytes()
