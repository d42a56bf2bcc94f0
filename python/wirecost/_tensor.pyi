# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

class Frame:
    """As ``wirecost.messaging.tensor.Frame``."""

    nbytes: int
    copies: int
    copied_bytes: int

    def parts(self) -> list[memoryview]: ...
    def write_into(self, buffer: Any) -> int: ...
    def tobytes(self) -> bytes: ...

class Loan:
    sample: Any

class SamplePool:
    """As ``wirecost.messaging.tensor.SamplePool``."""

    held: int

    def __init__(self, limit: int) -> None: ...
    def borrow(self, sample: Any, release: Callable[[Any], object] | None = None) -> Loan: ...

def use(
    handlers: dict[type, Any],
    match: Any,
    extension: Any,
    pieces: Any,
    budget: Any,
    restore: Any,
    plan: Any,
    /,
) -> None:
    """Name, once, the functions by which objects of frameworks are written and restored."""

def encode(obj: Any, /) -> Frame | None:
    """Make a frame of plain values, arrays, and objects that handlers take apart.

    None where Python has to make it.
    """

def decode(buffer: Any, owner: Any, /) -> Any:
    """Return what a frame at the start of ``buffer`` holds.

    It may be plain values, NumPy's arrays, which are read-only and keep ``buffer`` and ``owner``,
    and objects of frameworks. NotImplemented for all others and for what is wrong with a frame.
    """

def arrow_batch(metadata: bytes, /) -> tuple[int, int, int, int, int, int] | None:
    """Return what an Arrow IPC message that is a plain record batch takes; None for all others.

    Its body's bytes, rows, arrays, elements of the longest, buffers, bytes of all buffers.
    """
