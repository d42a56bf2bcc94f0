# SPDX-License-Identifier: Apache-2.0
"""CuPy: arrays on a CUDA device."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.devices import refuse_moved
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer

ROOTS = ("cupy",)
INSTALL = "cupy-cuda12x"
PLUGIN_ORDER = 7


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; arrays always lie on a device."""
    return _array if cls.__name__ == "ndarray" else None


def _array(writer: Writer, array: Any) -> Any:
    moved = writer.on_host(array, f"cuda:{array.device.id}")
    if type(moved) is not np.ndarray:
        raise refuse_moved(moved, "numpy")
    return writer.tensor(moved, "cupy")


def tensor(source: Source) -> Any:
    """Return a copy on the current device. Raises UserError for element types that CuPy has not."""
    cupy = load("cupy", 'decode with as_="numpy"')
    if source.narrow is not None:
        raise refuse(source, "cupy")
    try:
        return cupy.asarray(source.shared())
    except (TypeError, ValueError) as error:
        raise refuse(source, "cupy") from error


def to_host(array: Any) -> Any:
    """Return NumPy's array of the same content."""
    return array.get() if hasattr(array, "get") else array
