# SPDX-License-Identifier: Apache-2.0
"""Extension types of the description (docs/formats/tensor-frame.md)."""

from typing import Final

TENSOR: Final = 1
OBJECT: Final = 2
INTEGER: Final = 3
COMPLEX: Final = 4
TUPLE: Final = 5
SET: Final = 6
MAP: Final = 7
RECORD: Final = 8
TIME: Final = 9
SCALAR: Final = 10
BYTES: Final = 11
COMPRESSED: Final = 12

MOST_NESTED: Final = 64
LONG: Final = 1024
"""Bytes and strings above this are segments."""
