# SPDX-License-Identifier: Apache-2.0
"""What a header of a single tensor says, kept for the next frame that has the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

from wirecost.tensor import codes
from wirecost.tensor.dtypes import stored
from wirecost.tensor.layout import Layout
from wirecost.tensor.memory import Memory
from wirecost.tensor.source import Source

_LONGEST = 512


@dataclass(frozen=True, slots=True)
class Plan:
    """``direct``: an array of NumPy's that one step makes. The rest as ``Source`` has it."""

    direct: bool
    framework: str
    segment: tuple[int, int]
    described: Any
    shape: tuple[int, ...]
    axes: list[int] | None
    dtype: np.dtype[Any]

    def source(self, memory: Memory) -> Source:
        """The tensor in this memory."""
        return Source(memory, self.segment, self.described, list(self.shape), self.axes)


def plan(layout: Layout) -> Plan | None:
    """For a frame that is one tensor; None for others and for what a reader must refuse."""
    if len(layout.segments) != 1 or len(layout.description) > _LONGEST:
        return None
    try:
        value = msgpack.unpackb(layout.description)
        if type(value) is not msgpack.ExtType or value.code != codes.TENSOR:
            return None
        index, described, shape, axes, framework = msgpack.unpackb(value.data)
        if index != 0 or type(framework) is not str or type(described) is not str:
            return None
        probe = Memory(bytes(1), False, None)
        source = Source(probe, layout.segments[0], described, shape, axes)
        direct = framework == "numpy" and axes is None and source.narrow is None
        segment = layout.segments[0]
        made = Plan(direct, framework, segment, described, source.shape, axes, stored(described))
    except Exception:
        # The reader finds the same fault and tells it.
        return None
    return made
