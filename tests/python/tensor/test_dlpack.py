# SPDX-License-Identifier: Apache-2.0
"""Tensors of classes that wirecost does not know, which offer DLPack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wirecost.messaging.tensor import decode, encode, to_host
from wirecost.system.errors import UserError

ARRAY = np.arange(3.0)
NAME = r"test_dlpack:Tensor on DLPack device 2:0: device_to_host gave"


class Tensor:
    """Says where it lies, and lies in the host's memory."""

    def __init__(self, device: int) -> None:
        self.device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> Any:
        return ARRAY.__dlpack__(**options)


class Unwilling(Tensor):
    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("requires grad")


def test_one_in_the_hosts_memory_is_sent() -> None:
    assert decode(encode(Tensor(1)).tobytes()).tolist() == ARRAY.tolist()


def test_one_that_a_program_moves_is_sent() -> None:
    for move in (lambda _: ARRAY, lambda _: ARRAY.tolist() and np.array(ARRAY)):
        frame = encode({"a": Tensor(2)}, device_to_host=move)
        assert decode(frame.tobytes())["a"].tolist() == ARRAY.tolist()


def _nowhere(_: Any) -> Any:
    return "text"


@pytest.mark.parametrize(
    ("move", "given"), [(to_host, r"\S*test_dlpack:Tensor"), (_nowhere, "builtins:str")]
)
def test_one_that_cannot_be_moved_is_one_line(move: Callable[[Any], Any], given: str) -> None:
    with pytest.raises(UserError, match=f"{NAME} {given}, .*let it return a NumPy array"):
        encode([Tensor(2)], device_to_host=move)


def test_one_that_gives_nothing_is_one_line() -> None:
    with pytest.raises(UserError, match=r"Unwilling: NumPy cannot take it .*requires grad"):
        encode(Unwilling(1))
