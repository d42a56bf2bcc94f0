# SPDX-License-Identifier: Apache-2.0
"""The memory that a description's values take as Python's, counted before one of them is made.

A byte of MessagePack may become an empty list of 80 bytes. What counts is how CPython lays objects
out, each with the eight bytes of the reference to it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor import codes

MOST_PER_BYTE = 88
"""No value takes more for a byte of its own."""

_BLOCK = 1 << 13
_TAIL = 16

_LIST, _DICT, _TABLE, _ENTRY, _TEXT, _BINARY = 72, 64, 96, 32, 56, 48
_EXTENSIONS = {
    codes.TENSOR: 600,
    codes.OBJECT: 1024,
    codes.TUPLE: 64,
    codes.SET: 232,
    codes.MAP: 232,
    codes.RECORD: 232,
    codes.TIME: 64,
    codes.SCALAR: 64,
    codes.BYTES: 400,
    codes.COMPRESSED: 1024,
}
"""Bytes that extensions take beside the values in their payloads."""
_MOST_ENTRIES = 1 << 24
"""Most entries that a map can have: a header has no more bytes."""
_IN_TABLE = {codes.SET: 72, codes.MAP: 40}
"""Bytes per element beyond the list in which it came."""


def _table(default: int, **ranges: int) -> npt.NDArray[np.int64]:
    """Return a table by a value's first byte; ``x90_9f``: the bytes from 0x90 to 0x9f."""
    table = np.full(256, default, np.int64)
    for name, value in ranges.items():
        first, _, last = name[1:].partition("_")
        table[int(first, 16) : int(last or first, 16) + 1] = value
    return table


# Bytes of a value, or of the head of an array, whose elements are values of their own that come
# next; zero for what has its length behind its first byte.
_STEPS = _table(
    1, xc4_c9=0, xca=5, xcb=9, xcc=2, xcd=3, xce=5, xcf=9, xd0=2, xd1=3, xd2=5, xd3=9, xd4_db=0,
    xdc=3, xdd=5, xde_df=0,
)  # fmt: skip
_COSTS = 8 + _table(
    0, x80=_DICT, x81_8f=_DICT + _TABLE, x90_9f=_LIST, xa1_bf=_TEXT, xc4_c6=_BINARY, xca_cb=24,
    xcd_cf=32, xd0_d3=32, xd9_db=_TEXT, xdc_dd=_LIST, xde_df=_DICT + _TABLE,
)  # fmt: skip
_STEPS[0xA0:0xC0] += np.arange(32)
_COSTS[0xA0:0xC0] += 2 * np.arange(32)  # a text may have wider characters than its bytes
_COSTS[0x80:0x90] += _ENTRY * np.arange(16)
_SCALAR = (_STEPS == 1) & (_COSTS == 8)
_OWN = np.zeros(256, np.int64)
for _code, _cost in _EXTENSIONS.items():
    if _code not in _IN_TABLE:
        _OWN[_code] = _cost
# Values with their length behind their first byte, and how wide that is.
_WIDTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_WIDTHS |= {0xDE: 2, 0xDF: 4, 0xD4: 0, 0xD5: 0, 0xD6: 0, 0xD7: 0, 0xD8: 0}


def bytes_of_values(description: bytes, enough: float) -> int:
    """Return an upper bound, but for what is no whole value: reading it fails there.

    Stops counting beyond ``enough``.
    """
    cost, at = 0, 0
    while at < len(description) and cost <= enough:
        # A block's last head may end behind it.
        padded = description[at : at + _BLOCK + _TAIL] + bytes(_TAIL)
        steps, costs = _values(padded, min(_BLOCK, len(description) - at))
        following = steps.tolist()
        seen: list[int] = []
        place, count, see = 0, len(following), seen.append
        while place < count:
            see(place)
            step = following[place]
            if not step:
                step, more = _head(padded, place)
                cost += more
            place += step
        cost += int(costs[seen].sum())
        at += place
    return cost


def _values(padded: bytes, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return steps and costs of the values that begin at each of ``count`` places, if one does."""
    firsts = np.frombuffer(padded, np.uint8, count)
    steps, costs = _STEPS[firsts], _COSTS[firsts]
    scalar = _SCALAR[firsts]
    # Values of a byte without memory of their own are one step, as far as there is no other.
    places = np.arange(count)
    ends = np.minimum.accumulate(np.where(scalar, count, places)[::-1])[::-1]
    np.copyto(steps, ends - places, where=scalar)
    np.copyto(costs, 8 * steps, where=scalar)
    _short_extensions(padded, firsts, steps, costs)
    return steps, costs


def _short_extensions(
    padded: bytes,
    firsts: npt.NDArray[np.uint8],
    steps: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
) -> None:
    """Return steps and costs of values that are described by their code.

    There is up to one every 3 bytes.
    """
    data = np.frombuffer(padded, np.uint8)
    for begins, width in (((firsts >= 0xD4) & (firsts <= 0xD8), 0), (firsts == 0xC7, 1)):
        places = np.flatnonzero(begins)
        own = _OWN[data[places + 1 + width]]
        plain = own > 0
        places = places[plain]
        steps[places] = 2 + width
        costs[places] += own[plain]


def _head(padded: bytes, place: int) -> tuple[int, int]:
    """Return bytes of a text, map or extension that go before the next value.

    Returns what its length adds to its cost, too.
    """
    first = padded[place]
    width = _WIDTHS[first]
    step = 1 + width
    if width == 1:
        length = padded[place + 1]
    else:
        length = _number(padded, place + 1, width) if width else 1 << (first - 0xD4)
    if 0xC6 < first < 0xD9:
        code = padded[place + step]
        own = _EXTENSIONS.get(code)
        if own is None:
            return step + 1 + length, 32 + length
        if code in _IN_TABLE:
            own += _IN_TABLE[code] * _elements(padded, place + step + 1, length)
        return step + 1, own
    if first < 0xDE:
        return step + length, length if first < 0xC7 else 2 * length
    return step, _ENTRY * min(length, _MOST_ENTRIES)


def _elements(padded: bytes, start: int, length: int) -> int:
    """Count the elements of a set or dict, by the list in its payload."""
    first = padded[start]
    if first & 0xF0 == 0x90:
        return first & 0x0F
    width = {0xDC: 2, 0xDD: 4}.get(first, 0)
    return min(_number(padded, start + 1, width), length)


def _number(data: bytes, place: int, width: int) -> int:
    return int.from_bytes(data[place : place + width], "big")
