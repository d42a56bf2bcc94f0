# SPDX-License-Identifier: Apache-2.0
"""Values of constants and defaults: from how a dialect writes them to Python's."""

from __future__ import annotations

import math
import re
import struct

from wirecost.schema.compile.frontends.ros.builtin import Dialect
from wirecost.schema.compile.schema import CompileError, Kind, Origin, Value

_FLOATS = {Kind.FLOAT32: "<f", Kind.FLOAT64: "<d"}
_FLOAT = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)", re.ASCII | re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?\d+", re.ASCII)
_BASED = re.compile(r"[+-]?(0x[0-9a-f]+|0o[0-7]+|0b[01]+)", re.IGNORECASE)
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


def value(text: str, kind: Kind, dialect: Dialect, origin: Origin) -> Value:
    """Raise CompileError if ``text`` is no value of ``kind``."""
    if kind is Kind.STRING:
        return _unquoted(text, origin) if dialect.is_ros2 else text
    if kind is Kind.BOOL:
        if text.lower() not in _BOOLS:
            raise _wrong(text, kind, origin, "write true or false")
        return _BOOLS[text.lower()]
    if kind in _FLOATS:
        return _float(text, kind, origin)
    return _integer(text, kind, dialect, origin)


def _float(text: str, kind: Kind, origin: Origin) -> float:
    if not _FLOAT.fullmatch(text):
        raise _wrong(text, kind, origin, "write a number such as 1.5e-3")
    number = float(text)
    overflows = math.isinf(number) and "inf" not in text.lower()
    near = number
    try:
        (near,) = struct.unpack(_FLOATS[kind], struct.pack(_FLOATS[kind], number))
    except OverflowError:
        overflows = True
    if overflows:
        raise _wrong(text, kind, origin, "write a smaller number")
    return near if near == 0 else number  # Java has no literal for less than the least


def _integer(text: str, kind: Kind, dialect: Dialect, origin: Origin) -> int:
    if _DECIMAL.fullmatch(text):
        number = int(text) if len(text) <= 40 else 10**40
    elif dialect.is_ros2 and _BASED.fullmatch(text):
        number = int(text[:68], 0)
    else:
        raise _wrong(text, kind, origin, "write a whole number")
    bits = 8 * (kind.width or 0)
    signed = not kind.value.startswith("u")
    least = -(1 << bits - 1) if signed else 0
    most = (1 << bits - signed) - 1
    if not least <= number <= most:
        raise _wrong(text, kind, origin, f"give a number from {least} to {most}")
    return number


def _unquoted(text: str, origin: Origin) -> str:
    quote = text[:1]
    if quote not in ('"', "'") or not quote:
        return text
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != quote or re.search(rf"(?<!\\){quote}", inner):
        raise CompileError(origin, f"{text} does not end where its quotes do", "close the quotes")
    return inner.replace(f"\\{quote}", quote)


def _wrong(text: str, kind: Kind, origin: Origin, remedy: str) -> CompileError:
    short = text if len(text) <= 40 else f"{text[:37]}..."
    return CompileError(origin, f"`{short}` is no value of {kind.value}", remedy)
