# SPDX-License-Identifier: Apache-2.0
"""Numbers and bytes in JSON."""

from __future__ import annotations

import re
from binascii import a2b_base64
from math import isinf, isnan
from struct import Struct
from typing import Any

RANGES = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "uint8": (0, (1 << 8) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "uint16": (0, (1 << 16) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
    "uint64": (0, (1 << 64) - 1),
}
"""Of the kinds of integers."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SHORT = 40
"""Characters of a number that int() may read; it takes quadratic time."""
_MOST_DIGITS = 20
"""Digits of the largest integer."""
_LONGEST_EXPONENT = 1000
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_BASE64 = re.compile(r"[-_+/A-Za-z0-9]*={0,2}")
_STANDARD = str.maketrans("-_", "+/")
_FLOAT32 = Struct("<f")


class Number(str):
    """A number of a JSON text, as it stands there."""

    __slots__ = ()


def shown(value: object) -> str:
    """Return what an error says of a value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = str(value)
    text = text if len(text) <= 40 else f"{text[:40]}…"
    return repr(text) if type(value) is str else text


def integer(value: object, kind: str) -> int:
    """Of a number or of a string that holds one; ``1.0`` and ``1e3`` are integers too."""
    text = _number(value, kind)
    try:
        found = int(text) if len(text) <= _SHORT else _whole(text)
    except ValueError:
        found = _whole(text)
    low, high = RANGES[kind]
    if not low <= found <= high:
        raise ValueError(f"{shown(value)} is out of range for {kind}")
    return found


def real(value: object, kind: str) -> float:
    if isinstance(value, str) and value in _SPECIAL and not isinstance(value, Number):
        return _SPECIAL[value]
    found = float(_number(value, kind))
    try:
        found = single(found) if kind == "float32" else found
    except OverflowError:
        found = float("inf")
    if isinf(found):
        raise ValueError(f"{shown(value)} is out of range for {kind}")
    return found


def single(value: float) -> float:
    """Return the nearest number of 32 bits. Raises OverflowError."""
    (found,) = _FLOAT32.unpack(_FLOAT32.pack(value))
    return float(found)


def real_of(value: Any, kind: str) -> float | str:
    """Return a number as JSON has it: with as few digits as tell it from its neighbours."""
    found = float(value)
    if isnan(found):
        return "NaN"
    if isinf(found):
        return "Infinity" if found > 0 else "-Infinity"
    if kind == "float64":
        return found
    found = single(found)
    for digits in range(6 if abs(found) >= _SMALLEST_NORMAL else 1, 9):
        short = float(f"{found:.{digits}g}")
        if abs(short) < _LARGEST_SINGLE and single(short) == found:
            return short
    return float(f"{found:.9g}")


_SMALLEST_NORMAL = 1.1754943508222875e-38
"""Numbers of 32 bits below this have fewer digits."""
_LARGEST_SINGLE = 3.4028235677973366e38
"""From here on a number is none of 32 bits."""


def data(value: str) -> bytes:
    """Of base64 in either alphabet, with or without padding."""
    text = value.rstrip("=") if _BASE64.fullmatch(value) else "?"
    if len(text) % 4 == 1 or (len(text) != len(value) and len(value) % 4):
        raise ValueError(f"{shown(value)} is not base64")
    return a2b_base64(text.translate(_STANDARD) + "=" * (-len(text) % 4))


def _number(value: object, kind: str) -> str:
    if isinstance(value, Number) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        return value
    raise ValueError(f"{shown(value)} is not {kind}")


def _whole(text: str) -> int:
    """Return the integer that a number with a fraction or an exponent is."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).rstrip("0")
    if not digits:
        return 0
    if len(exponent) > _LONGEST_EXPONENT:
        raise ValueError(f"{shown(Number(text))} is out of range")
    power = int(exponent or "0") - len(fraction) + len(whole) + len(fraction) - len(digits)
    digits = digits.lstrip("0")
    if power < 0:
        raise ValueError(f"{shown(Number(text))} is no integer")
    if len(digits) + power > _MOST_DIGITS:
        raise ValueError(f"{shown(Number(text))} is out of range")
    found = int(digits + "0" * power)
    return -found if text.startswith("-") else found
