# SPDX-License-Identifier: Apache-2.0
"""Between a device's memory and the host's: on request, or as a program says once for all.

Frames are made of the host's memory. What lies on a device is copied before it is encoded, and what
was received may be copied to a device after it was decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from wirecost.messaging.tensor import staging
from wirecost.messaging.tensor.frameworks import by_root, module
from wirecost.system.errors import UserError

_COLLECTIONS = (list, tuple)
_DEVICE = re.compile("cuda(:[0-9]{1,4})?")
Move = Callable[[Any], Any]


class _Policy:
    """Policy of senders and receivers that are told nothing else."""

    device_to_host: Move | None = None
    host_to_device: Move | None = None


POLICY = _Policy()


def use_devices(
    *,
    device_to_host: str | Move | None = None,
    host_to_device: str | Move | None = None,
) -> None:
    """Say for this process what happens to tensors on a device, until it is called again.

    ``device_to_host``: ``"copy"``, as ``to_host`` does; ``"pinned"``, through page-locked memory
    that is used again, which a device copies to faster; or a function that gets a tensor and
    returns one in the host's memory. None: to encode such a tensor is an error.
    ``host_to_device``: where received tensors of PyTorch, JAX, TensorFlow and PaddlePaddle go, such
    as ``"cuda"`` or ``"cuda:1"``; or a function. None: they stay where they were received. Raises
    UserError for other words.
    """
    moves: dict[str, Move] = {"copy": to_host, "pinned": to_host_pinned}
    out = moves.get(device_to_host) if isinstance(device_to_host, str) else device_to_host
    if device_to_host is not None and not callable(out):
        raise UserError(
            f'device_to_host={device_to_host!r}: give "copy", "pinned", a function or None'
        )
    place = host_to_device
    if isinstance(place, str):
        _checked(place)
    elif place is not None and not callable(place):
        raise UserError(
            f'host_to_device={place!r}: give a device such as "cuda:0", a function or None'
        )
    POLICY.device_to_host = out
    POLICY.host_to_device = (lambda obj: to_device(obj, place)) if isinstance(place, str) else place


def to_host(obj: Any) -> Any:
    """Return ``obj`` with every tensor in the host's memory, copied from devices and waited for.

    Looks into dicts, lists and tuples; CuPy's arrays become NumPy's. What is on the host already is
    returned as it is.
    """
    return replaced(obj, _TO_HOST)


def to_host_pinned(obj: Any) -> Any:
    """Copy the same through page-locked memory.

    That is used again once nothing refers to the copy any more. PyTorch's and CuPy's tensors; the
    others' frameworks have memory of their own for it.
    """
    return replaced(obj, _TO_HOST | staging.MOVES)


def to_device(obj: Any, device: str) -> Any:
    """Return ``obj`` with every tensor on ``device``, such as ``"cuda:1"``.

    Those elsewhere are copied and waited for. NumPy's arrays stay. Raises UserError where a
    framework has no such device.
    """
    number = _checked(device)

    def move(one: Callable[[Any, int], Any]) -> Move:
        def moved(tensor: Any) -> Any:
            try:
                return one(tensor, number)
            except Exception as error:
                # Each framework has errors of its own for a device that is not there.
                raise UserError(
                    f"a tensor of {type(tensor).__module__.partition('.')[0]} cannot be put on"
                    f" {device}: {type(error).__name__}: {str(error).partition(chr(10))[0]:.120};"
                    " name another device, or leave host_to_device out"
                ) from error

        return moved

    return replaced(obj, {root: move(function) for root, function in _TO_DEVICE.items()})


def refuse_moved(moved: Any, framework: str) -> UserError:
    """Return an error for what a program's ``device_to_host`` gave that cannot be written."""
    accepted = "a NumPy array" if framework == "numpy" else f"a tensor of {framework} or NumPy"
    return UserError(
        f"device_to_host gave {type(moved).__module__}.{type(moved).__qualname__}, which is not"
        f" {accepted} in the host's memory; wirecost.to_host gives one"
    )


def _checked(device: str) -> int:
    """Return the number of a CUDA device. Raises UserError."""
    if not _DEVICE.fullmatch(device):
        raise UserError(f'device {device!r:.40}: give "cuda" or "cuda:NUMBER"')
    return int(device.partition(":")[2] or "0")


def replaced(obj: Any, moves: dict[str, Move]) -> Any:
    """Return ``obj`` with what ``moves`` makes of each object in its dicts, lists and tuples.

    ``moves`` are by the package of an object's class or of one that it derives from.
    """
    if type(obj) is dict:
        return {key: replaced(value, moves) for key, value in obj.items()}
    if type(obj) in _COLLECTIONS:
        return type(obj)(replaced(value, moves) for value in obj)
    for base in type(obj).__mro__:  # a subclass may be of the program's own
        move = moves.get(base.__module__.partition(".")[0])
        if move is not None:
            return move(obj)
    return obj


def _call(name: str, function: str, *arguments: Any) -> Any:
    return getattr(module(name), function)(*arguments)


_TO_HOST: dict[str, Move] = {
    root: partial(_call, name, "to_host") for root, name in by_root("to_host").items()
}
_TO_DEVICE: dict[str, Callable[[Any, int], Any]] = {
    root: partial(_call, name, "to_device") for root, name in by_root("to_device").items()
}
"""CuPy's arrays are made on a device when they are decoded."""
