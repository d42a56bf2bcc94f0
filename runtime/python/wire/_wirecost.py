# SPDX-License-Identifier: Apache-2.0
"""What the generated codecs share: errors, precompiled structs, varints, arrays."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable
from struct import Struct
from struct import error as StructError  # noqa: N812
from types import FrameType, TracebackType
from typing import Any

DEPTH = 100
"""How deep messages may be nested in what is decoded."""
MEMORY, MEMORY_A_BYTE = 1 << 26, 64
"""Memory that decoding may take, about: so much, and so much for each byte of the input."""
NO_BUDGET = [0]
CONTENTLESS = 65_536
"""How many elements without any content all arrays of a message may hold: they take no bytes."""

new = object.__new__
Buffer = bytes | bytearray | memoryview


class WireError(ValueError):
    """Bytes that are no message, or a message that cannot be bytes.

    ``position`` is the byte near which decoding failed; None if encoding failed.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason if position is None else f"{reason} at byte {position}")
        self.reason = reason
        self.position = position


FAULTS = (
    ArithmeticError,
    AttributeError,
    IndexError,
    RecursionError,
    StructError,
    TypeError,
    ValueError,
)
"""What goes wrong inside of codecs: they check little themselves and so are fast."""


def encode_error(message: object, fault: Exception) -> WireError:
    """Return what to raise in place of a fault while encoding."""
    if isinstance(fault, WireError):
        return fault
    reason = "messages are nested without end" if isinstance(fault, RecursionError) else str(fault)
    return WireError(f"{type(message).__name__} cannot be encoded: {reason}")


def decode_error(data: Buffer, fault: Exception) -> WireError:
    """Return what to raise in place of a fault while decoding."""
    if isinstance(fault, WireError):
        return fault
    if isinstance(fault, TypeError) and not isinstance(data, bytes):
        return WireError(f"{type(data).__name__} is not bytes", 0)
    position = _position(fault.__traceback__)
    if isinstance(fault, (IndexError, StructError)) or position > len(data):
        return WireError("the input is truncated", min(position, len(data)))
    if isinstance(fault, UnicodeDecodeError):
        return WireError("a string is not UTF-8", position)
    if isinstance(fault, RecursionError):
        return WireError("messages are nested too deep", position)
    return WireError(str(fault), position)


def _position(trace: TracebackType | None) -> int:
    """Where the innermost codec was: codecs call their position ``pos``."""
    position = 0
    while trace is not None:
        frame: FrameType = trace.tb_frame
        position = frame.f_locals.get("pos", position)
        trace = trace.tb_next
    return position


def end_error(data: Buffer, pos: int) -> WireError:
    """Return a message that ends elsewhere than its bytes."""
    if pos > len(data):
        return WireError("the input is truncated", len(data))
    return WireError("bytes are left over behind the message", pos)


def count_error(count: int, pos: int) -> WireError:
    return WireError(f"{count} elements do not fit in what is left", pos)


def depth_error(pos: int) -> WireError:
    return WireError(f"messages are nested deeper than {DEPTH}", pos)


def memory_error(pos: int) -> WireError:
    return WireError("the messages take far more memory than the input", pos)


def budget(data: bytes) -> list[int]:
    """Return what decoders of large messages may use up together."""
    return [MEMORY + MEMORY_A_BYTE * len(data)]


def capacity_error(name: str, count: int, capacity: int, pos: int | None = None) -> WireError:
    return WireError(f"{name} has {count} elements or bytes; it takes {capacity}", pos)


def terminator_error(pos: int) -> WireError:
    return WireError("a string does not end with a NUL", pos)


def oneof_error(oneof: str) -> WireError:
    return WireError(f"more than one member of the oneof {oneof} is set")


def choice_error(oneof: str, number: int, pos: int) -> WireError:
    return WireError(f"the oneof {oneof} has no member {number}", pos)


def missing_error(name: str, pos: int | None = None) -> WireError:
    return WireError(f"{name} lacks a required field", pos)


def overrun_error(data: bytes, pos: int, end: int) -> WireError:
    """Return a message whose last field ends elsewhere than the message."""
    if max(pos, end) > len(data):
        return WireError("the input is truncated", len(data))
    return WireError("a field reaches beyond the end of its message", end)


def aligned_packers(alignment: int, form: str) -> tuple[Callable[..., bytes], ...]:
    """By the position modulo ``alignment``: packers that write the padding first."""
    pads = (f"{-at % alignment}x" for at in range(alignment))
    return tuple(Struct(f"<{pad}{form}").pack for pad in pads)


CDR_HEADER = bytes((0, 1, 0, 0))
"""Plain CDR, little-endian, no options."""


def read_cdr_header(data: Buffer) -> int:
    """Return the order of bytes behind the header: 0 for little-endian, 1 for big-endian."""
    if len(data) < 4:
        raise WireError("the input is truncated", len(data))
    if data[0] != 0 or data[1] > 1:
        raise WireError("the input is not plain CDR", 0)
    return 1 - data[1]


def ordered_unpackers(form: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """For little-endian and for big-endian input."""
    return Struct(f"<{form}").unpack_from, Struct(f">{form}").unpack_from


def as_bytes(data: Buffer) -> bytes:
    return bytes(memoryview(data))


def as_view(data: Buffer) -> memoryview:
    """Return the bytes where they lie; nobody can write through the view."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise WireError("views need memory in one piece; decode without views", 0)
    return view.toreadonly().cast("B")


LONG = 4096
"""Bytes of a part that is not worth copying to have fewer parts."""


def gathered(parts: list[Buffer]) -> list[Buffer]:
    """Parts of the same bytes: short neighbours joined, long ones as they lie."""
    found: list[Buffer] = []
    start = 0
    for at in [at for at, size in enumerate(map(len, parts)) if size >= LONG]:
        part = parts[at]
        found += (b"".join(parts[start:at]), part if type(part) is bytes else as_view(part))
        start = at + 1
    found.append(b"".join(parts[start:]))
    return found


def place(parts: list[Buffer], memory: bytearray | memoryview) -> int:
    """Write a message's parts one behind the other; how many bytes they take."""
    target = memoryview(memory).cast("B")
    size = sum(map(len, parts))
    if size > len(target):
        raise WireError(f"the message takes {size} bytes; its memory has {len(target)}")
    # A message that was decoded from this memory may have its lists there.
    own = [bytes(p) if type(p) is memoryview and p.obj is target.obj else p for p in parts]
    pos = 0
    for part in own:
        target[pos : (pos := pos + len(part))] = part
    return size


_SWAPPED = sys.byteorder == "big"


def pack_array(code: str, values: Iterable[Any]) -> bytes:
    """Little-endian bytes of numbers, from an array or whatever yields numbers."""
    found = values if isinstance(values, array) and values.typecode == code else array(code, values)
    if _SWAPPED:
        found = array(code, found)
        found.byteswap()
    return found.tobytes()


def pack_fixed(code: str, values: Iterable[Any], size: int) -> bytes:
    """Return the same of an array whose size is fixed; ``size`` in bytes."""
    found = pack_array(code, values)
    if len(found) != size:
        raise capacity_error("a fixed array", len(found), size)
    return found


def pack_bools(values: Iterable[object]) -> bytes:
    return bytes([1 if value else 0 for value in values])


def unpack_array(code: str, data: Buffer, big: int = 0) -> array[Any]:
    """Numbers of little-endian bytes, or of big-endian ones if ``big``."""
    found: array[Any] = array(code, b"" + data)  # of a view it would take each byte for a number
    if bool(big) is not _SWAPPED:
        found.byteswap()
    return found


def unpack_bools(data: Buffer) -> list[bool]:
    return [value != 0 for value in data]
