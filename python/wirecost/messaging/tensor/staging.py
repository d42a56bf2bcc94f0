# SPDX-License-Identifier: Apache-2.0
"""Page-locked memory of the host between a device and a frame.

A device copies to such memory directly, and to other memory by way of it. To lock pages takes
longer than to copy to them: a buffer is used again once no array refers to it any more.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.packages import load

MOST_BYTES = 256 << 20
"""Most bytes kept for later; memory that lies in frames comes on top of it."""
_LEAST = 1 << 16


# NumPy lets a view refer to its base's base, but stops at another class: two of them keep the upper
# one, which then ends with the last view.
class _StagingLink(np.ndarray[Any, Any]):
    pass


class _Loan(np.ndarray[Any, Any]):
    pass


class Staging:
    """Buffers of one framework. ``lock(nbytes)``: new page-locked memory, as an array of bytes."""

    def __init__(
        self, lock: Callable[[int], npt.NDArray[np.uint8]], most: int = MOST_BYTES
    ) -> None:
        self._lock = lock
        self._most = most
        self._free: dict[int, list[npt.NDArray[np.uint8]]] = defaultdict(list)

    @property
    def kept(self) -> int:
        """Return bytes that wait to be used again."""
        return sum(size * len(free) for size, free in list(self._free.items()))

    def borrow(self, nbytes: int) -> npt.NDArray[np.uint8]:
        """Borrow so many bytes.

        They come back when the array and all that was made of it are gone.
        """
        size = max(_LEAST, 1 << (nbytes - 1).bit_length())
        try:
            # One step, as other threads and the garbage collector give and take meanwhile.
            whole = self._free[size].pop()
        except IndexError:
            whole = self._lock(size)
        loan = whole.view(_StagingLink).view(_Loan)
        weakref.finalize(loan, self._take_back, whole)
        lent: npt.NDArray[np.uint8] = loan.view(np.ndarray)[:nbytes]
        return lent

    def _take_back(self, whole: npt.NDArray[np.uint8]) -> None:
        if self.kept + whole.nbytes <= self._most:
            self._free[whole.nbytes].append(whole)


def _locked_by_torch(nbytes: int) -> npt.NDArray[np.uint8]:
    torch = load("torch")
    locked: npt.NDArray[np.uint8] = torch.empty(nbytes, dtype=torch.uint8, pin_memory=True).numpy()
    return locked


def _locked_by_cupy(nbytes: int) -> npt.NDArray[np.uint8]:
    return np.frombuffer(load("cupy").cuda.alloc_pinned_memory(nbytes), np.uint8, nbytes)


_TORCH = Staging(_locked_by_torch)
_CUPY = Staging(_locked_by_cupy)


def _torch(tensor: Any) -> Any:
    """Wait for the stream that the tensor is computed on, and for no other."""
    torch = load("torch")
    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cuda":
        return tensor
    if tensor.layout is not torch.strided or tensor.is_quantized:
        return tensor.cpu()
    memory = torch.from_numpy(_TORCH.borrow(max(1, tensor.nbytes))[: tensor.nbytes])
    copied = memory.view(tensor.dtype).view(tensor.shape)
    copied.copy_(tensor.detach(), non_blocking=True)
    torch.cuda.current_stream(tensor.device).synchronize()
    return copied


def _cupy(array: Any) -> Any:
    if not hasattr(array, "get"):
        return array
    memory = _CUPY.borrow(max(1, array.nbytes))[: array.nbytes]
    copied = memory.view(array.dtype).reshape(array.shape)
    array.get(out=copied)
    return copied


MOVES: dict[str, Callable[[Any], Any]] = {"torch": _torch, "cupy": _cupy}
"""To page-locked memory of the host, by the package of a tensor's class."""
