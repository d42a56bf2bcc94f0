# SPDX-License-Identifier: Apache-2.0
"""CuPy: arrays on a CUDA device."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.tensor.devices import refuse_moved
from wirecost.tensor.packages import load
from wirecost.tensor.source import Source, refuse
from wirecost.tensor.writer import Handler, Writer


def encoder(cls: type) -> Handler | None:
    """Arrays, which always lie on a device."""
    return _array if cls.__name__ == "ndarray" else None


def _array(writer: Writer, array: Any) -> Any:
    moved = writer.on_host(array, f"cuda:{array.device.id}")
    if type(moved) is not np.ndarray:
        raise refuse_moved(moved, "numpy")
    return writer.tensor(moved, "cupy")


def tensor(source: Source) -> Any:
    """A copy on the current device. Raises UserError for element types that CuPy has not."""
    cupy = load("cupy", 'decode with as_="numpy"')
    if source.narrow is not None:
        raise refuse(source, "cupy")
    try:
        return cupy.asarray(source.shared())
    except (TypeError, ValueError) as error:
        raise refuse(source, "cupy") from error
