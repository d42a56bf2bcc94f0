# SPDX-License-Identifier: Apache-2.0
"""Quick path where C++ gets no memory.

It is run by test_native_sanitized.py, whose module can be made to run out of it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from attack.tensor.native import in_python, same
from wirecost.messaging.tensor import codec, native
from wirecost.messaging.tensor.writer import HANDLERS

MOST = 200
FAIL_AFTER: Any = ctypes.CDLL(native.binding.__file__).fail_after
FAIL_AFTER.argtypes = [ctypes.c_long]


@pytest.fixture(autouse=True)
def enough_memory() -> Iterator[None]:
    yield
    FAIL_AFTER(-1)


def attempts(call: Callable[[], Any]) -> Iterator[Any]:
    """Return a call's results when each of its allocations is the first that fails.

    MemoryError stands where it raises that."""
    for allocations in range(MOST):
        # The last array is remembered: another one.
        native.binding.decode(native.binding.encode(np.ones(7)).tobytes(), None)
        FAIL_AFTER(allocations)
        try:
            result = call()
        except MemoryError:
            result = MemoryError
        finally:
            FAIL_AFTER(-1)
        yield result


class Thing:
    pass


def _swallowing(writer: Any, _: Any) -> Any:
    try:
        return writer.extension(5, [1, "x" * 100])
    except MemoryError:
        return None


MESSAGES = (
    np.arange(6.0).reshape(2, 3), np.ones((3, 4)).T, {"a": [np.ones(2), "x" * 500, 2**60]},
    {"t": (1, "y" * 2000, {2})}, [Thing(), Thing()],
)  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: type(one).__name__)
def test_a_message_is_whole_or_an_error(message: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, Thing, _swallowing)
    with in_python():
        whole = codec.encode(message).tobytes()
        expected = codec.decode(whole)
    frames = list(attempts(lambda: native.binding.encode(message)))
    frames = list(attempts(lambda: native.binding.encode(message)))
    assert frames[0] in {None, MemoryError} and frames[-1] is not None
    assert {frame.tobytes() for frame in frames if frame not in {None, MemoryError}} == {whole}
    messages = list(attempts(lambda: native.binding.decode(whole, None)))
    assert messages[0] is MemoryError
    assert all(
        message_or_error is MemoryError
        or message_or_error is NotImplemented
        or same(message_or_error, expected)
        for message_or_error in messages
    )
