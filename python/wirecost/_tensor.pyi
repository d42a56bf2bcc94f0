# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

class Frame:
    """As ``wirecost.tensor.Frame``."""

    nbytes: int
    copies: int
    copied_bytes: int

    def parts(self) -> list[memoryview]: ...
    def write_into(self, buffer: Any) -> int: ...
    def tobytes(self) -> bytes: ...

class Loan:
    sample: Any

class SamplePool:
    """As ``wirecost.tensor.SamplePool``."""

    held: int

    def __init__(self, limit: int) -> None: ...
    def borrow(self, sample: Any, release: Callable[[Any], object] | None = None) -> Loan: ...

def encode(obj: Any, /) -> Frame | None:
    """Of an array, or of a dict of plain values and arrays; None where Python has to make it."""

def decode(buffer: Any, owner: Any, /) -> Any:
    """What a frame at the start of ``buffer`` holds, if that is plain values and NumPy's arrays,
    which are read-only and keep ``buffer`` and ``owner``. NotImplemented for all others and for
    what is wrong with a frame."""
