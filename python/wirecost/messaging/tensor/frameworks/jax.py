# SPDX-License-Identifier: Apache-2.0
"""JAX. It takes over memory only that starts on a multiple of 64; other is copied."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wirecost.messaging.tensor.devices import refuse_moved
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.source import Source, refuse
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("jax", "jaxlib")
PLUGIN_ORDER = 4
_NUMPY_KINDS = frozenset("biufc")
_LARGEST_EMPTY = 1 << 20
"""Product of an empty array's extents without the zeros: XLA works through it, or asks for it."""


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; a tracer within jit has no memory and is refused."""
    if "Tracer" in cls.__name__:
        raise UserError("jax: an array within jit has no values yet; send what jit returns")
    return _array if cls.__name__ == "ArrayImpl" else None


def _array(writer: Writer, array: Any) -> Any:
    if any(device.platform != "cpu" for device in array.devices()):
        array = writer.on_host(array, str(next(iter(array.devices()))))
        if type(array) is np.ndarray:
            return writer.tensor(array, "jax")
        if not hasattr(array, "devices") or any(
            device.platform != "cpu" for device in array.devices()
        ):
            raise refuse_moved(array, "jax")
    try:
        host = np.asarray(array)
    except TypeError as error:
        raise UserError(f"jax: {array.dtype} has no plain memory ({error})") from error
    if len(array.devices()) > 1:
        writer.copied(host.nbytes)
    return writer.tensor(host, "jax")


def tensor(source: Source) -> Any:
    """Return an array over received memory. Raises UserError for types that JAX has not."""
    jax = load("jax", 'decode with as_="numpy"')
    name = source.narrow
    if name is None and source.kind not in _NUMPY_KINDS:
        raise refuse(source, "jax")
    shape = source.numpy().shape
    if 0 in shape and math.prod(max(1, extent) for extent in shape) > _LARGEST_EMPTY:
        raise UserError(
            f'jax: an empty array of {len(shape)} extents, too large ones; decode with as_="numpy"'
        )
    if name is not None:
        return jax.numpy.array(source.numpy())
    array = source.aligned()
    tensor = jax.dlpack.from_dlpack(array) if array.size else jax.numpy.array(array)
    return _same_type(tensor, array.dtype)


def _same_type(made: Any, dtype: np.dtype[Any]) -> Any:
    if made.dtype != dtype:
        raise UserError(
            f"jax: turns {dtype} into {made.dtype}; enable 64 bits with"
            ' jax.config.update("jax_enable_x64", True)'
        )
    return made


def to_host(array: Any) -> Any:
    """Return an array in the host's memory, once it is there."""
    if not hasattr(array, "devices") or all(d.platform == "cpu" for d in array.devices()):
        return array
    jax = load("jax")
    return jax.device_put(array, jax.devices("cpu")[0]).block_until_ready()


def to_device(array: Any, number: int) -> Any:
    """Return an array on a CUDA device, once it is there."""
    jax = load("jax")
    if not hasattr(array, "devices"):
        return array
    # JAX gives an array back that is there already.
    return jax.device_put(array, jax.devices("cuda")[number]).block_until_ready()
