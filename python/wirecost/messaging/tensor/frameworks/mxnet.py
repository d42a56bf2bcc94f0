# SPDX-License-Identifier: Apache-2.0
"""MXNet: arrays of mxnet.nd and mxnet.np."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("mxnet",)
PLUGIN_ORDER = 5
_TYPES = frozenset({"float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"})


def encoder(cls: type) -> Handler | None:
    """Return how a class is written: dense arrays, of which both kinds arrive as mxnet.nd's."""
    if cls.__name__ in {"CSRNDArray", "RowSparseNDArray"}:
        raise UserError("mxnet: a sparse array has no plain memory; send array.tostype('default')")
    return _array if cls.__name__ in {"NDArray", "ndarray"} else None


class _Capsule:
    """MXNet's capsule as NumPy takes it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def _array(writer: Writer, array: Any) -> Any:
    if array.context.device_type != "cpu":
        array = writer.on_host(array, str(array.context))
    if array.dtype is np.bool_ or not array.size:
        # MXNet's capsules have no form for these.
        host = array.asnumpy()
        writer.copied(host.nbytes)
    else:
        # Waits until the array is computed.
        host = np.from_dlpack(_Capsule(array.to_dlpack_for_read()))
    return writer.tensor(host, "mxnet")


def tensor(source: Source) -> Any:
    """Return an array over received memory. Raises UserError for types that MXNet has not."""
    mxnet = load("mxnet", 'decode with as_="numpy"')
    array = source.aligned()
    if source.narrow is not None or array.dtype.name not in _TYPES:
        raise refuse(source, "mxnet")
    if not array.size or array.dtype == np.int8:
        return mxnet.nd.array(array, dtype=array.dtype)
    # Not by DLPack: MXNet lets go without Python's lock, which NumPy does not survive.
    return mxnet.nd.from_numpy(array, zero_copy=True)


def to_host(array: Any) -> Any:
    """Return an array in the host's memory."""
    return array.as_in_context(load("mxnet").cpu()) if hasattr(array, "as_in_context") else array
