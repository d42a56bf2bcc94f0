# SPDX-License-Identifier: Apache-2.0
"""Bytes of clouds that carry nothing: dropped points, constant fields, bits that are never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.packed import PLACE
from wirecost.data.clouds.scan import Points
from wirecost.system.foreign import shown

WIDTHS = (8, 16, 32)
"""Bits of the integers that a field may have instead."""
LEAST_SHARE = 0.01
"""Share of the bytes that advice must save to be given."""
LEAST_POINTS = 100
"""Points from which on a field that is always the same is no chance."""
ORGANIZED = " (the cloud then has no rows any more)"


@dataclass
class _Field:
    """Values of a field: the first, whether all are the same, and the range of whole numbers."""

    dtype: np.dtype[np.generic]
    first: bytes
    is_constant: bool = True
    is_whole: bool = True
    least: int = 0
    most: int = 0

    def add(self, values: npt.NDArray[np.generic], is_valid: npt.NDArray[np.bool_]) -> None:
        self.is_constant = self.is_constant and values.tobytes() == self.first * len(values)
        values = values[is_valid]
        if not self.is_whole or not len(values) or self.dtype.shape:
            return
        if values.dtype.kind == "f":
            self.is_whole = bool(np.isfinite(values).all() and (values == np.floor(values)).all())
        if self.is_whole:
            self.least = min(self.least, int(values.min()))
            self.most = max(self.most, int(values.max()))

    @property
    def bits(self) -> int:
        """Bits that whole numbers of this range need, the sign included; 0: they are not whole."""
        if not self.is_whole or self.dtype.shape:
            return 0
        return max(1, self.most.bit_length(), (-self.least - 1).bit_length()) + (self.least < 0)

    @property
    def smaller(self) -> str:
        """Return the smaller integer type that has room for all values; empty where none has."""
        width = next((width for width in WIDTHS if 0 < self.bits <= width), 64)
        kind = "int" if self.least < 0 else "uint"
        return f"{kind}{width}" if width < 8 * self.dtype.itemsize else ""


class CloudWaste:
    """Counts what clouds of one topic or file carry in vain."""

    def __init__(self) -> None:
        self.points = self.invalid = self.step = 0
        self._has_rows = False
        self._fields: dict[str, _Field] = {}

    def add(self, points: Points) -> None:
        """Count a structured array of points. Clouds with other fields than the first are not."""
        self._has_rows |= points.ndim == 2 and points.shape[0] > 1
        points = points.reshape(-1)
        names = points.dtype.names or ()
        if not len(points) or (self._fields and list(names) != list(self._fields)):
            return
        self.step = points.dtype.itemsize
        is_valid = np.ones(len(points), np.bool_)
        for name in PLACE:
            if name in names and points.dtype[name].kind == "f":
                is_valid &= ~np.isnan(points[name])
        self.points += len(points)
        self.invalid += int(len(points) - is_valid.sum())
        for name in names:
            values = np.ascontiguousarray(points[name])
            waste = self._fields.setdefault(name, _Field(points.dtype[name], values[:1].tobytes()))
            waste.add(values, is_valid)

    def advice(self) -> Iterator[str]:
        """Say what to leave out, and which share of the bytes that saves, the most first."""
        if self.points < LEAST_POINTS:
            return
        shares: list[tuple[float, str]] = []
        if self.invalid:
            share = self.invalid / self.points
            rows = ORGANIZED if self._has_rows else ""
            text = f"{share:.0%} of the points are NaN: leave them out before publishing{rows}"
            shares.append((share, text))
        others = {name: field for name, field in self._fields.items() if name not in PLACE}
        constant = [name for name, field in others.items() if field.is_constant]
        if constant:
            share = sum(others.pop(name).dtype.itemsize for name in constant) / self.step
            names = ", ".join(map(shown, constant))
            what = f"field {names} is" if len(constant) == 1 else f"fields {names} are"
            once = "publish it once, on a topic of its own"
            if len(constant) > 1:
                once = "publish them once, on a topic of their own"
            shares.append((share, f"{what} constant: {once}"))
        for name, field in others.items():
            size = field.dtype.itemsize
            if smaller := field.smaller:
                width = int(smaller.lstrip("uint"))
                bits = f"{field.bits} of its {8 * size} bits"
                text = f"field {shown(name)} uses {bits}: store it as {smaller}"
                shares.append(((size - width // 8) / self.step, text))
        for share, text in sorted(shares, key=lambda item: -item[0]):
            if share >= LEAST_SHARE:
                yield f"{text}; that saves {share:.0%} of the bytes.".replace("%", " %")
