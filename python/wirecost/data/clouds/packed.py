# SPDX-License-Identifier: Apache-2.0
"""Arrays of points to packed clouds and back; the bytes are made in C++."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wirecost import _core
from wirecost.system.errors import UserError

LIMIT = 1 << 26
"""Most bytes of the points of a cloud, unless the caller allows more."""
PLACE = ("x", "y", "z")
_NAMES = (*PLACE, "intensity")
TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")
"""NumPy's names of types by their number in ``sensor_msgs/PointField``, less one."""
_KEPT = threading.local()

Points = npt.NDArray[Any]


def encode(
    points: Points, *, error: float | Mapping[str, float] | None = None, quick: bool = False
) -> bytes:
    """Pack points.

    ``points``: a structured array of shape (points,) or (rows, columns) with fields of 1 to 4 bytes
    or doubles; or floats of shape (points, 3 or 4): x, y, z, intensity. ``error``: the largest one
    of x, y and z, or of each field by name, in their unit; without it every bit is kept. Bytes
    between fields are not. ``quick``: in a quarter of the time, in 1.7 times the bytes.
    Raises UserError.
    """
    points = _structured(points)
    errors = errors_by_field(error, points.dtype.names or ())
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    layout = Layout(height, width, points.dtype.itemsize, point_fields(points.dtype))
    return pack(np.ascontiguousarray(points).reshape(-1).view(np.uint8), layout, errors, quick)


def decode(data: bytes | bytearray | memoryview, *, limit: int = LIMIT) -> Points:
    """Unpack points into a structured array of shape (points,), or of rows and columns.

    ``limit``: most bytes of the points; unpacking takes up to eight times as many, and 25 times for
    points of one byte. Raises UserError, before any memory is taken for a cloud that is larger.
    """
    layout = layout_of(data)
    if layout.size > limit:
        raise UserError(f"a cloud of {layout.size:,} bytes; allow it by limit=")
    return layout.points(unpack(data, layout))


class Layout(NamedTuple):
    """How points lie in bytes. ``step``: bytes of a point; ``fields``: as of ``point_fields``."""

    height: int
    width: int
    step: int
    fields: list[tuple[str, int, int, int]]

    @property
    def size(self) -> int:
        """Bytes of all points."""
        return self.height * self.width * self.step

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a point. Raises UserError where two fields have one name, or a point is huge."""
        names = [name for name, *_ in self.fields]
        if len(set(names)) < len(names):
            raise UserError("a cloud has two fields of one name; rename one where it is published")
        kinds = [f"<{TYPES[number - 1]}" for _, _, number, _ in self.fields]
        counts = [count for *_, count in self.fields]
        formats = [
            kind if count == 1 else (kind, (count,))
            for kind, count in zip(kinds, counts, strict=True)
        ]
        offsets = [offset for _, offset, _, _ in self.fields]
        try:
            return np.dtype(
                {"names": names, "formats": formats, "offsets": offsets, "itemsize": self.step}
            )
        except ValueError as error:
            raise UserError(f"points of {self.step:,} bytes; mend what publishes them") from error

    def points(self, data: npt.NDArray[np.uint8]) -> Points:
        """Return the points in these bytes, of shape (points,), or of rows and columns."""
        dtype = self.dtype
        points = data.view(dtype) if self.step else np.empty(0, dtype)
        return points if self.height == 1 else points.reshape(self.height, self.width)


def errors_by_field(
    error: float | Mapping[str, float] | None, names: Collection[str]
) -> dict[str, float]:
    """Return the largest error of each field that may have one. Raises UserError."""
    if error is None:
        return {}
    if isinstance(error, Mapping):
        return dict(error)
    errors = {name: error for name in PLACE if name in names}
    if not errors:
        raise UserError("points have no x, y or z; keep every bit, or give {'range': 0.001}")
    return errors


def pack(
    data: npt.NDArray[np.uint8], layout: Layout, errors: Mapping[str, float], quick: bool
) -> bytes:
    """Pack points that lie in these bytes. Raises UserError."""
    packer = _packer(tuple((name, float(most)) for name, most in errors.items()), bool(quick))
    try:
        return packer.pack(data, layout)
    except ValueError as cause:
        raise UserError(f"{cause}; see wirecost.cloud.encode") from cause


def layout_of(data: bytes | bytearray | memoryview) -> Layout:
    """Return how the points of a packed cloud will lie, without unpacking any. Raises UserError."""
    with _damage():
        return Layout(*_core.CloudUnpacker().read(np.frombuffer(data, np.uint8)))


def unpack(data: bytes | bytearray | memoryview, layout: Layout) -> npt.NDArray[np.uint8]:
    """Unpack points into bytes; zero between fields. Raises UserError."""
    points = np.empty(layout.size, np.uint8)
    with _damage():
        _core.CloudUnpacker().unpack(np.frombuffer(data, np.uint8), points)
    return points


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except (ValueError, UnicodeDecodeError) as cause:
        raise UserError(f"{cause}; it was cut off or changed, pack the cloud again") from cause


def _packer(errors: tuple[tuple[str, float], ...], quick: bool) -> _core.CloudPacker:
    """Return this thread's packer, which keeps its memory while errors and effort stay."""
    cached: tuple[tuple[tuple[str, float], ...], bool, _core.CloudPacker] | None
    cached = getattr(_KEPT, "packer", None)
    if cached is None or cached[:2] != (errors, quick):
        try:
            cached = (errors, quick, _core.CloudPacker(list(errors), quick))
        except ValueError as cause:
            raise UserError(f"{cause}; give a distance such as 0.001") from cause
        _KEPT.packer = cached
    return cached[2]


def _structured(points: Points) -> Points:
    points = np.asarray(points)
    if points.dtype.names is None:
        kind = {"f2": "<f4", "f4": "<f4", "f8": "<f8"}.get(
            f"{points.dtype.kind}{points.dtype.itemsize}"
        )
        if points.ndim != 2 or points.shape[1] not in (3, 4) or kind is None:
            raise UserError(
                f"points of shape {points.shape} and type {points.dtype}; give a structured array, "
                "or floats of shape (points, 3 or 4)"
            )
        names = _NAMES[: points.shape[1]]
        # As wide as they are: maps' coordinates lose centimetres in four bytes.
        floats = np.ascontiguousarray(points, kind)
        return floats.view([(name, kind) for name in names]).reshape(-1)
    if points.ndim not in (1, 2):
        raise UserError(f"points of shape {points.shape}; give one or two axes")
    return points.astype(points.dtype.newbyteorder("<"), copy=False)


def point_fields(dtype: np.dtype[Any]) -> list[tuple[str, int, int, int]]:
    """Return name, offset, type and count of each field, as a ``PointField`` has them.

    Raises UserError for a type that it has not.
    """
    fields = []
    for name in dtype.names or ():
        assert dtype.fields is not None
        inner, offset = dtype.fields[name][:2]
        base, shape = inner.subdtype or (inner, ())
        type_ = f"{base.kind}{base.itemsize}"
        if type_ not in TYPES or len(shape) > 1:
            kind = base if len(shape) < 2 else inner
            raise UserError(
                f"field {name} is of type {kind}, which no PointField has; save it as an integer "
                "of 1, 2 or 4 bytes, a float or a double"
            )
        count = int(shape[0]) if shape else 1
        fields.append((name, int(offset), TYPES.index(type_) + 1, count))
    return fields


def errors_made(points: Points, decoded: Points) -> dict[str, float]:
    """Return the largest error of each field that differs; infinite where a NaN was lost."""
    errors = {}
    for name in points.dtype.names or ():
        was, is_ = np.ascontiguousarray(points[name]), np.ascontiguousarray(decoded[name])
        if was.tobytes() == is_.tobytes():
            continue
        if was.dtype.kind != "f":
            errors[name] = float(np.abs(was.astype(np.float64) - is_.astype(np.float64)).max())
            continue
        finite = np.isfinite(was)
        same = was.view(f"u{was.itemsize}") == is_.view(f"u{is_.itemsize}")
        is_exact = bool((same | finite | (np.isnan(was) & np.isnan(is_))).all())
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(was.astype(np.float64) - is_.astype(np.float64))[finite]
        errors[name] = float(off.max(initial=0.0)) if is_exact else float("inf")
    return errors
