# SPDX-License-Identifier: Apache-2.0
"""Tensors on a CUDA device that is really there: ``setup/test-devices``.

Elsewhere test_devices.py runs the same code with a stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import needs
from support.real_cuda import MAKE
from wirecost.messaging.tensor import (
    decode,
    encode,
    to_device,
    to_host,
    to_host_pinned,
    use_devices,
)
from wirecost.system.errors import UserError

pytestmark = pytest.mark.skipif(
    not any(Path("/dev").glob("nvidia[0-9]*")), reason="no device: setup/test-devices, on a GPU"
)
ONES = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def nothing_said() -> Iterator[None]:
    yield
    use_devices()


def place(tensor: Any) -> str:
    if hasattr(tensor, "devices"):
        return {"gpu": "cuda", "cpu": "cpu"}[next(iter(tensor.devices())).platform]
    return getattr(tensor.device, "type", "cuda") if hasattr(tensor, "device") else "cpu"


@pytest.mark.parametrize("move", [to_host, to_host_pinned])
@pytest.mark.parametrize("name", MAKE)
def test_to_the_host_and_through_a_frame(name: str, move: Any) -> None:
    arrays = [ONES, ONES[:, ::2], ONES.T, np.array(2.5, "f4"), np.zeros((0, 3)), ONES > 3]
    for array in arrays:
        tensor = MAKE[name](array)
        with pytest.raises(UserError, match="use_devices"):
            encode(tensor)
        frame = encode(tensor, device_to_host=move).tobytes()
        decoded = decode(frame, as_="numpy")
        assert decoded.shape == array.shape
        assert decoded.tolist() == array.tolist()


@pytest.mark.parametrize("name", MAKE)
def test_the_axes_may_be_turned_on_the_device(name: str) -> None:
    turned = MAKE[name](ONES).T
    decoded = decode(encode(turned, device_to_host=to_host_pinned).tobytes(), as_="numpy")
    assert decoded.tolist() == ONES.T.tolist()


@pytest.mark.parametrize("name", MAKE)
def test_there_and_back_by_what_was_said_once(name: str) -> None:
    MAKE[name](ONES)  # skips where it is not there
    use_devices(device_to_host="pinned", host_to_device="cuda")
    frame = encode({"a": [MAKE[name](ONES)]}).tobytes()
    decoded = decode(frame)["a"][0]
    assert place(decoded) == "cuda"
    assert (
        type(decoded).__module__.partition(".")[0]
        == type(MAKE[name](ONES)).__module__.partition(".")[0]
    )
    np.testing.assert_array_equal(np.asarray(to_host(decoded)), ONES)


def test_a_copy_waits_for_what_is_queued_before_it() -> None:
    torch = needs.package("torch")
    for size in (1 << 10, 1 << 22):
        work = torch.full((size,), 1.0, device="cuda")
        for _ in range(50):
            work = work * 1.0 + 1.0
        assert set(np.asarray(to_host_pinned(work)).tolist()) == {51.0}


def test_page_locked_memory_is_used_again() -> None:
    torch = needs.package("torch")
    tensor = torch.ones(1000, device="cuda")
    first = to_host_pinned(tensor)
    assert first.is_pinned()
    address = first.data_ptr()
    second = to_host_pinned(tensor)
    assert second.data_ptr() != address
    del first
    assert to_host_pinned(tensor).data_ptr() == address


def test_half_precision_and_gradients() -> None:
    torch = needs.package("torch")
    for kind in (torch.bfloat16, torch.float16, torch.complex64, torch.bool):
        tensor = torch.ones(3, dtype=kind, device="cuda")
        decoded = decode(encode(tensor, device_to_host=to_host_pinned).tobytes())
        assert decoded.dtype == kind
        assert torch.equal(decoded, tensor.cpu())
    learnt = torch.nn.Parameter(torch.ones(3, device="cuda"))
    assert decode(encode(learnt, device_to_host=to_host_pinned).tobytes()).tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_device_that_is_not_there(name: str) -> None:
    with pytest.raises(UserError, match="leave host_to_device out"):
        to_device(to_host(MAKE[name](ONES)), "cuda:99")
