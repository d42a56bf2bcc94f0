# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("paddle",)
INSTALL = "paddlepaddle"
PLUGIN_ORDER = 6
_NARROW = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})


def encoder(cls: type) -> Handler | None:
    """Return how a class is written: dense tensors, and parameters, which arrive as tensors."""
    return _tensor if cls.__name__ in {"Tensor", "EagerParamBase"} else None


def _tensor(writer: Writer, tensor: Any) -> Any:
    if not tensor.is_dense():
        raise UserError("paddle: a sparse tensor has no plain memory; send tensor.to_dense()")
    tensor = tensor.detach()
    if not tensor.place.is_cpu_place():
        tensor = writer.on_host(tensor, str(tensor.place))
    name = str(tensor.dtype).partition(".")[2]
    if name in _NARROW:
        bits = tensor.view("int16" if name == "bfloat16" else "uint8")
        return writer.tensor(_memory(writer, bits), "paddle", name)
    return writer.tensor(_memory(writer, tensor), "paddle")


def _memory(writer: Writer, tensor: Any) -> Any:
    try:
        return np.from_dlpack(tensor)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        array = np.asarray(tensor.numpy())
        writer.copied(array.nbytes)
        return array


def tensor(source: Source) -> Any:
    """Return a tensor over received memory. Raises UserError for types that Paddle has not."""
    paddle = load("paddle", 'decode with as_="numpy"')
    array = source.aligned()
    name = source.narrow
    if array.dtype.kind not in "biufc" or array.dtype.name in {"uint16", "uint32", "uint64"}:
        if name is None:
            raise refuse(source, "paddle")
        array = array.view("<i2")
    if not array.size or array.dtype.kind == "b" or not array.ndim:
        tensor = paddle.to_tensor(array, place=paddle.CPUPlace())
    else:
        tensor = paddle.utils.dlpack.from_dlpack(array.__dlpack__())
    if name is None:
        return tensor
    if not hasattr(paddle, name):
        raise refuse(source, "paddle")
    return tensor.view(name)


def to_host(tensor: Any) -> Any:
    """Return a tensor in the host's memory."""
    return tensor.cpu() if hasattr(tensor, "cpu") else tensor


def to_device(tensor: Any, number: int) -> Any:
    """Return a tensor on a CUDA device."""
    return tensor.cuda(number) if hasattr(tensor, "cuda") else tensor
