# SPDX-License-Identifier: Apache-2.0
"""A sender's rings, and messages whose tensors on a device were put into them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import msgpack

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.devices import replaced
from wirecost.messaging.tensor.frameworks import by_root
from wirecost.messaging.tensor.ipc.ring import DeviceMemory, Ring, aligned, slot_for
from wirecost.messaging.tensor.ipc.ring_file import SLOTS
from wirecost.messaging.tensor.matching import framework
from wirecost.messaging.tensor.writer import HANDLERS
from wirecost.system.errors import UserError

_FRAMEWORKS = by_root("device_memory")


class SharedTensor:
    """A tensor in a ring, as frames take it."""

    __slots__ = ("payload",)

    def __init__(self) -> None:
        self.payload = b""


HANDLERS[SharedTensor] = lambda _, value: msgpack.ExtType(codes.SHARED, value.payload)


class Sharing:
    """Rings of one topic, whose messages overwrite only each other's. For several threads."""

    def __init__(self) -> None:
        """Take nothing before the first tensor on a device."""
        self._rings: dict[tuple[int, int], _Rings] = {}
        self._lock = threading.Lock()
        self._closed = False

    def share(self, message: Any) -> Any:
        """Return the message with every tensor on a CUDA device put into a ring.

        Those are PyTorch's, CuPy's and JAX's in dicts, lists and tuples. Waits until they are
        there; they may be changed then. Raises UserError where the driver or a framework cannot, or
        there is too much for a slot.
        """
        shared_tensors: list[tuple[str, DeviceMemory, SharedTensor]] = []
        moves: dict[str, Callable[[Any], Any]] = {
            root: partial(_found, shared_tensors, name) for root, name in _FRAMEWORKS.items()
        }
        replacement = replaced(message, moves)
        if not shared_tensors:
            return message
        with self._lock:
            if self._closed:
                raise UserError("its topic is closed already")
            for device in {memory.device for _, memory, _ in shared_tensors}:
                self._write(
                    device, [entry for entry in shared_tensors if entry[1].device == device]
                )
        return replacement

    def _write(self, device: int, found: list[tuple[str, DeviceMemory, SharedTensor]]) -> None:
        tensors = [memory for _, memory, _ in found]
        # A forked process has rings of its own, though CUDA has no devices for it.
        key = os.getpid(), device
        ring = self._rings.setdefault(key, _Rings(device)).room(tensors)
        offsets = ring.write(tensors)
        for (name, memory, shared), offset in zip(found, offsets, strict=True):
            shared.payload = msgpack.packb(
                [ring.token, ring.written, offset, memory.described, memory.shape, name]
            )

    def close(self) -> None:
        """Close it: what was not received is lost. A second call does nothing."""
        with self._lock:
            self._closed = True
            rings, self._rings = self._rings, {}
        for ring in rings.values():
            ring.close()


def _found(found: list[tuple[str, DeviceMemory, SharedTensor]], name: str, tensor: Any) -> Any:
    module: Any = framework(name)
    memory = module.device_memory(tensor)
    if memory is None:
        return tensor
    shared = SharedTensor()
    found.append((name, memory, shared))
    return shared


class _Rings:
    """Rings on one device: the one in use, and smaller ones that may still be read."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._rings: list[Ring] = []

    def room(self, tensors: list[DeviceMemory]) -> Ring:
        """Return a ring whose slots take these. Raises UserError."""
        slot = slot_for(max(1, sum(aligned(memory.nbytes) for memory in tensors)))
        if not self._rings or self._rings[-1].slot_bytes < slot:
            self._rings.append(Ring(self._device, slot))
        # Messages in a former one are overtaken by as many as it has slots. Together
        # they take less than the one in use, as each is at most half of the next.
        elif len(self._rings) > 1 and self._rings[-1].written >= SLOTS:
            self._close_former()
        return self._rings[-1]

    def _close_former(self) -> None:
        for ring in self._rings[:-1]:
            ring.close()
        del self._rings[:-1]

    def close(self) -> None:
        for ring in self._rings:
            ring.close()
