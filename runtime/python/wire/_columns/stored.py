# SPDX-License-Identifier: Apache-2.0
"""A scalar column as it is stored, and the values it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .node import DTYPES, Node


@dataclass(frozen=True)
class Stored:
    """``raw``: stored values, of width 3 as an array of shape (S, 3)."""

    node: Node
    kind: str
    """plain, narrow, scaled, constant, default or absent."""
    raw: npt.NDArray[Any] | None = None
    constant: Any = None
    scale: float = 1.0
    base: float = 0.0
    starts: npt.NDArray[np.uint32] | None = None

    @property
    def form(self) -> str:
        if self.starts is None:
            return self.kind
        return "runs" if self.kind == "plain" else f"{self.kind} runs"

    def values(self, count: int) -> npt.NDArray[Any]:
        """Return the values of ``count`` elements, read-only."""
        if self.raw is None:
            zero = 0 if self.constant is None else self.constant
            return np.broadcast_to(np.array(zero, DTYPES[self.node.kind]), count)
        found = self._decoded()
        if self.starts is not None:
            found = np.repeat(found, np.diff(self.starts))
        found.flags.writeable = False
        return found

    def _decoded(self) -> npt.NDArray[Any]:
        raw = self.raw
        if raw is None:
            raise AssertionError(self)
        dtype = DTYPES[self.node.kind]
        if self.kind == "scaled":
            return self._summed(raw, dtype)
        if self.kind == "narrow":
            return raw.astype(dtype)
        if self.node.kind == "bool":
            # Any byte but 0 is true; NumPy's own bools must be 0 or 1.
            return (raw != 0) if raw.size and raw.max() > 1 else raw.view(np.bool_)
        return raw

    def _summed(self, raw: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        stored = widened(raw)
        if dtype.kind == "f":
            with np.errstate(over="ignore", invalid="ignore"):
                return (self.base + self.scale * stored).astype(dtype)
        # 64 bits hold the sum of whole numbers; what the type does not hold of it is cut off.
        return (stored.astype(np.int64) + int(self.base)).astype(dtype)


def widened(raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Unsigned integers; those of width 3, of shape (S, 3), as 32-bit ones."""
    if raw.ndim == 1:
        return raw
    wide = np.zeros((len(raw), 4), np.uint8)
    wide[:, :3] = raw
    return wide.view("<u4").reshape(-1)


def narrowed(values: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    """Back: 32-bit unsigned integers in ``width`` bytes, as an array of bytes if 3."""
    if width != 3:
        return values.astype(f"<u{width}")
    return np.ascontiguousarray(values.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3])
