# SPDX-License-Identifier: Apache-2.0
"""From a device's memory to the host's, as a stage of its own."""

from __future__ import annotations

from typing import Any

from wirecost.tensor.packages import load

_COLLECTIONS = (list, tuple)


def to_host(obj: Any) -> Any:
    """``obj`` with every tensor in the host's memory: those on a device are copied and waited for.

    Looks into dicts, lists and tuples; CuPy's arrays become NumPy's. What is on the host already is
    returned as it is.
    """
    if type(obj) is dict:
        return {key: to_host(value) for key, value in obj.items()}
    if type(obj) in _COLLECTIONS:
        return type(obj)(map(to_host, obj))
    move = _MOVES.get(type(obj).__module__.partition(".")[0])
    return obj if move is None else move(obj)


def _torch(tensor: Any) -> Any:
    return tensor.cpu() if hasattr(tensor, "cpu") else tensor


def _tensorflow(tensor: Any) -> Any:
    if "CPU" in getattr(tensor, "device", "CPU").upper():
        return tensor
    return tensor.cpu()


def _jax(array: Any) -> Any:
    if not hasattr(array, "devices") or all(d.platform == "cpu" for d in array.devices()):
        return array
    jax = load("jax")
    return jax.device_put(array, jax.devices("cpu")[0]).block_until_ready()


def _mxnet(array: Any) -> Any:
    return array.as_in_context(load("mxnet").cpu()) if hasattr(array, "as_in_context") else array


def _paddle(tensor: Any) -> Any:
    return tensor.cpu() if hasattr(tensor, "cpu") else tensor


def _cupy(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


_MOVES = {
    "torch": _torch,
    "tensorflow": _tensorflow,
    "jax": _jax,
    "jaxlib": _jax,
    "mxnet": _mxnet,
    "paddle": _paddle,
    "cupy": _cupy,
}
