# SPDX-License-Identifier: Apache-2.0
"""Comparison of the quick path with the Python that it stands for.

Python accepts what the quick path accepts, with the same result; refusals have the same text,
and encoded objects the same bytes. Objects of frameworks are the same where Python encodes them
alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock
from zlib import crc32

import numpy as np

from attack.target import Target
from attack.tensor import corpus, respell
from attack.tensor.corpus import arrays, values
from wirecost.messaging.tensor import arrow_messages, codec, native
from wirecost.system.errors import UserError


class DifferenceError(Exception):
    """C++ and Python do not agree."""


@contextmanager
def in_python() -> Iterator[None]:
    """Without the quick path."""
    with (
        mock.patch.multiple(codec, _encode=None, _decode=None),
        mock.patch.object(arrow_messages, "_quickly", None),
    ):
        yield


def frames() -> Sequence[bytes]:
    """Messages that the quick path handles, and some that it leaves to Python."""
    plain: list[Any] = [
        np.arange(6.0), np.zeros((2, 0, 3), "u1"), np.float32([[1, 2]]), np.array(7, "i2"),
        {"a": np.arange(3, dtype="u1"), "b": {"c": [np.ones(2), 1, -1, 2**40, -(2**40), 2**63]}},
        {"t": 1.5, "n": None, "flags": [True, False], "text": "grüß", "raw": b"\0\xff", "l": [[]]},
        {"many": [np.full(1, i, "i4") for i in range(20)], "numbers": list(range(-200, 300, 7))},
    ]  # fmt: skip
    plain += [np.ones((2, 3, 4)).transpose(1, 2, 0), {"t": (1, (2.0, "x"))}, [np.arange(2)]]
    every = (*plain, *values(), *arrays(), *_objects())
    return [codec.encode(value).tobytes() for value in every]


def _objects() -> Iterator[Any]:
    for framework in (corpus.pandas, corpus.pyarrow, corpus.polars, corpus.xarray, corpus.pillow):
        if corpus.installed(framework.__name__):
            yield from framework()


def same(one: Any, other: Any) -> bool:
    """Return whether classes and content are the same, arrays over the same memory bit by bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return _form(one) == _form(other) and one.tobytes() == other.tobytes()
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if type(one).__module__ == "builtins":
        return bool(one == other) or _shown(one) == _shown(other)
    with in_python():
        return _sent(one) == _sent(other)


def _shown(value: Any) -> Any:
    """Return a form of values that are not equal to themselves, such as NaN, that is comparable."""
    return sorted(map(repr, value)) if isinstance(value, (set, frozenset)) else repr(value)


def _sent(value: Any) -> bytes | str:
    """Return the frame of an object, or why there is none: some fail once they are looked at."""
    try:
        return codec.encode(value).tobytes()
    except Exception as error:
        return type(error).__name__


def _form(array: Any) -> Any:
    address, _ = array.__array_interface__["data"]
    return array.dtype, array.shape, array.strides, array.flags.num, address


def lying(frame: bytes) -> Any:
    """Return the frame in memory as it is, on an odd address, or with bytes behind it."""
    kind = crc32(frame) % 4
    if kind == 0:
        return memoryview(b"\0" + frame)[1:]
    return bytearray(frame + frame[:100]) if kind == 1 else frame


def _outcome(buffer: Any) -> tuple[Any, UserError | None]:
    try:
        return codec.decode(buffer), None
    except UserError as error:
        return None, error


def read(frame: bytes) -> None:
    """Read a frame by C++ first, twice: the second time it may know the header.

    Raises what Python refuses a frame with, DifferenceError where C++ reads it, or refuses it
    with another text."""
    if native.binding is None:
        return
    buffer = lying(frame)
    first = native.binding.decode(buffer, None)
    second, quick = _outcome(buffer)
    with in_python():
        expected, refused = _outcome(buffer)
    if refused is not None:
        if first is not NotImplemented or quick is None:
            raise DifferenceError("C++ accepts what Python refuses")
        if type(quick) is not type(refused) or str(quick) != str(refused):
            raise DifferenceError(f"refused as {quick!r} beside C++, as {refused!r} without")
        raise refused
    if quick is not None:
        raise DifferenceError(f"{quick!r}, but Python reads {expected!r}")
    # What C++ left to Python was read by Python, and may lie in memory of its own.
    for message in () if first is NotImplemented else (first, second):
        if not same(message, expected):
            raise DifferenceError(f"C++ read {message!r}, Python {expected!r}")
    again = native.binding.encode(expected)
    if again is not None:
        with in_python():
            frame_of_python = codec.encode(expected)
        if again.tobytes() != frame_of_python.tobytes() or again.nbytes != frame_of_python.nbytes:
            raise DifferenceError(f"C++ and Python encode {expected!r} differently")


TARGET = Target("tensor-native", frames, read, mutate=respell.mutated_frame)
