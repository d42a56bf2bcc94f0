# SPDX-License-Identifier: Apache-2.0
"""The quick path beside the Python that it stands for: what it accepts, Python accepts too, with
the same result; what it encodes has the same bytes. Objects of frameworks are the same where Python
encodes them alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from attack.target import Target
from attack.tensor import corpus, mutate
from attack.tensor.corpus import arrays, values
from wirecost.tensor import arrow_messages, codec, native


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
    """Of the same classes and content, bit by bit where they are arrays."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        form = (one.dtype, one.shape, one.strides, one.flags.num)
        return form == (other.dtype, other.shape, other.strides, other.flags.num) and (
            one.tobytes() == other.tobytes()
        )
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if type(one).__module__ == "builtins":
        return bool(one == other) or repr(one) == repr(other)  # not a number
    with in_python():
        return codec.encode(one).tobytes() == codec.encode(other).tobytes()


def read(frame: bytes) -> None:
    """By C++ first, twice: the second time it may know the header. Raises what Python refuses a
    frame with."""
    if native.found is None:
        return
    found = [native.found.decode(frame, None) for _ in range(2)]
    with in_python():
        expected = codec.decode(frame)
    for message in found:
        if message is not NotImplemented and not same(message, expected):
            raise DifferenceError(f"C++ read {message!r}, Python {expected!r}")
    again = native.found.encode(expected)
    if again is not None:
        with in_python():
            wanted = codec.encode(expected)
        if again.tobytes() != wanted.tobytes() or again.nbytes != wanted.nbytes:
            raise DifferenceError(f"C++ and Python encode {expected!r} differently")


def read_or_refused(frame: bytes) -> None:
    """Where Python refuses, C++ must not have accepted."""
    try:
        read(frame)
    except DifferenceError:
        raise
    except Exception:
        if native.found is not None and native.found.decode(frame, None) is not NotImplemented:
            raise DifferenceError("C++ accepts what Python refuses") from None
        raise


TARGET = Target("tensor-native", frames, read_or_refused, mutate=mutate.mutated_frame)
