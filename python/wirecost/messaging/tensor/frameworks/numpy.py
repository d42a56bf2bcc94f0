# SPDX-License-Identifier: Apache-2.0
"""NumPy: arrays and scalars."""

from __future__ import annotations

from typing import Any

import msgpack
import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.dtypes import describe
from wirecost.messaging.tensor.source import Source
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("numpy", "ml_dtypes")
PLUGIN_ORDER = 1


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; a memory map or record array arrives as an array."""
    if cls in {np.ma.MaskedArray, np.matrix}:
        raise UserError(
            f"numpy: {cls.__name__} cannot be sent as plain memory; send its parts, for "
            "example (a.data, a.mask) or numpy.asarray(a)"
        )
    if issubclass(cls, np.ndarray):
        return _array
    return _scalar if issubclass(cls, np.generic) or hasattr(cls, "dtype") else None


def tensor(source: Source) -> npt.NDArray[Any]:
    """Return a view; read-only unless decoded otherwise."""
    return source.numpy()


def _array(writer: Writer, array: npt.NDArray[Any]) -> Any:
    return writer.tensor(np.asarray(array).view(np.ndarray), "numpy")


def _scalar(_: Writer, scalar: Any) -> Any:
    array = np.asarray(scalar)
    payload = msgpack.packb([describe(array.dtype), array.tobytes()])
    return msgpack.ExtType(codes.SCALAR, payload)
