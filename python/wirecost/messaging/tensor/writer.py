# SPDX-License-Identifier: Apache-2.0
"""Values and tensors of one message written as a description and segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import numpy.typing as npt

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.dtypes import describe
from wirecost.messaging.tensor.memory import Pieces, without_gaps
from wirecost.system.errors import UserError

_MOST_TENSORS = 1024
_TENSORS: dict[Any, msgpack.ExtType] = {}
"""Tensors' descriptions by their content; the table is emptied when it is full."""
_MOST_KEPT = 1 << 16
_PACKERS: list[msgpack.Packer] = []
"""Packers that nobody uses now: to make one costs more than to pack a small message."""


class Writer:
    """Collector of one message's segments, while ``pack`` walks through values."""

    __slots__ = ("_match", "_nested", "copied_bytes", "copies", "device_to_host", "segments")

    def __init__(
        self,
        match: Callable[[Any], Handler],
        device_to_host: Callable[[Any], Any] | None = None,
    ) -> None:
        """Write values; ``match`` finds the handler of a type that ``HANDLERS`` does not have."""
        self._match = match
        self.segments: list[Any] = []
        self.copies = 0
        self.copied_bytes = 0
        self.device_to_host = device_to_host
        self._nested = 0

    def pack(self, value: Any) -> bytes:
        """Return a value as MessagePack; its tensors become segments.

        Raises UserError for what has no place in a frame.
        """
        prepared = self.prepare(value)
        try:
            packer = _PACKERS.pop()
        except IndexError:
            packer = msgpack.Packer(strict_types=True, buf_size=4096)
        try:
            packed = packer.pack(prepared)
        except UnicodeEncodeError as error:
            raise UserError(f"a string is not valid text ({error}): send it as bytes") from error
        except (OverflowError, ValueError, TypeError) as error:
            raise UserError(f"values cannot be packed: {error}") from error
        # Large messages' room is given back, and so is a packer that an error left half full.
        if len(packed) <= _MOST_KEPT:
            _PACKERS.append(packer)
        return bytes(packed)

    def prepare(self, value: Any) -> Any:
        """Return a value as MessagePack's packer takes it."""
        handler = HANDLERS.get(type(value)) or self._match(value)
        self._nested += 1
        if self._nested > codes.MOST_NESTED:
            raise UserError(f"values nest deeper than {codes.MOST_NESTED}, or contain themselves")
        prepared = handler(self, value)
        self._nested -= 1
        return prepared

    def extension(self, code: int, value: Any) -> msgpack.ExtType:
        """Return an extension whose payload is a value."""
        self._nested -= 1  # the list or dict around its values is no level of its own
        payload = self.pack(value)
        self._nested += 1
        return msgpack.ExtType(code, payload)

    def tensor(
        self, array: npt.NDArray[Any], framework: str, dtype: str | None = None
    ) -> msgpack.ExtType:
        """Return a tensor that lies as ``array``; ``dtype`` names elements that NumPy has not."""
        shape, axes = array.shape, None
        if not array.flags.c_contiguous:
            axes, array = without_gaps(array)
            if axes is None:
                self.copied(array.nbytes)
        key = len(self.segments), array.dtype, dtype, shape, axes, framework
        extension = _TENSORS.get(key)
        if extension is None:
            described = describe(array.dtype) if dtype is None else dtype
            payload = msgpack.packb([key[0], described, shape, axes, framework])
            if len(_TENSORS) >= _MOST_TENSORS:
                _TENSORS.clear()
            extension = _TENSORS[key] = msgpack.ExtType(codes.TENSOR, payload)
        self.segments.append(array)
        return extension

    def pieces(self, pieces: Pieces) -> msgpack.ExtType:
        """Return an array that lies in several places."""
        fields = [self.segment(pieces), pieces.described, pieces.shape, None, "numpy"]
        return msgpack.ExtType(codes.TENSOR, msgpack.packb(fields))

    def segment(self, memory: Any) -> int:
        """Take an array without gaps, a memoryview of bytes or Pieces, as they lie."""
        self.segments.append(memory)
        return len(self.segments) - 1

    def copied(self, nbytes: int) -> None:
        """Count a copy that something had to make."""
        self.copies += 1
        self.copied_bytes += nbytes

    def on_host(self, tensor: Any, device: str) -> Any:
        """Return what ``device_to_host`` makes of a tensor on a device.

        Raises UserError without it.
        """
        if self.device_to_host is None:
            raise UserError(
                f"a tensor is on {device}: move it with wirecost.tensor.to_host, give encode"
                " device_to_host=wirecost.tensor.to_host, or say once"
                ' wirecost.tensor.use_devices(device_to_host="pinned")'
            )
        moved = self.device_to_host(tensor)
        self.copied(getattr(moved, "nbytes", 0))
        return moved


def only_once(writer: Writer) -> None:
    """Leave a message to Python where something shall be done once for it.

    Examples are what a program registered, a stream that is empty the second time, what takes long
    to compute. C++ may give a message up halfway.
    """
    if type(writer) is not Writer:
        raise NotImplementedError("left to Python")


Handler = Callable[[Writer, Any], Any]
HANDLERS: dict[type, Handler] = {Pieces: Writer.pieces}
"""Handlers by exact type. Other modules add theirs; matching adds those that it looks up."""
