# SPDX-License-Identifier: Apache-2.0
"""PyTorch. Its tensors know no read-only memory: the receiver must not write to borrowed ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.devices import refuse_moved
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("torch",)
PLUGIN_ORDER = 2
_NARROW = frozenset(
    {"bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}
)
_NUMPY_KINDS = frozenset("biufc")


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; a parameter arrives as a tensor that requires no gradient."""
    return _tensor if cls.__name__ == "Tensor" else None


def _tensor(writer: Writer, tensor: Any) -> Any:
    torch = load("torch")
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise UserError("torch: a sparse or quantized tensor has no plain memory; send its parts")
    tensor = tensor.detach()
    if tensor.device.type != "cpu":
        tensor = writer.on_host(tensor, str(tensor.device))
        if type(tensor) is np.ndarray:
            return writer.tensor(tensor, "torch")
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu":
            raise refuse_moved(tensor, "torch")
        tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
        writer.copied(tensor.nbytes)
    name = str(tensor.dtype).partition(".")[2]
    if name not in _NARROW:
        return writer.tensor(tensor.numpy(), "torch")
    bits = torch.int16 if tensor.element_size() == 2 else torch.uint8
    return writer.tensor(tensor.view(bits).numpy(), "torch", name)


def tensor(source: Source) -> Any:
    """Return a tensor over received memory. Raises UserError for types that PyTorch has not."""
    torch = load("torch", 'decode with as_="numpy"')
    array = source.shared()
    name = source.narrow
    if name is not None:
        if not hasattr(torch, name):
            raise refuse(source, "torch")
        if array.itemsize == 2:
            array = array.view("<i2")
        return torch.from_numpy(array).view(getattr(torch, name))
    if array.dtype.kind not in _NUMPY_KINDS:
        raise refuse(source, "torch")
    try:
        return torch.from_numpy(array)
    except TypeError as error:
        raise refuse(source, "torch") from error


def to_host(tensor: Any) -> Any:
    """Return a tensor in the host's memory."""
    return tensor.cpu() if hasattr(tensor, "cpu") else tensor


def to_device(tensor: Any, number: int) -> Any:
    """Return a tensor on a CUDA device, once it is there."""
    torch = load("torch")
    if not isinstance(tensor, torch.Tensor):
        return tensor
    if (tensor.device.type, tensor.device.index) == ("cuda", number):
        return tensor
    moved = tensor.to(f"cuda:{number}")
    torch.cuda.current_stream(moved.device).synchronize()
    return moved
