# SPDX-License-Identifier: Apache-2.0
"""Tensors on a device, with a stand-in for PyTorch and CuPy (support/fake_cuda.py)."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from support import fake_cuda
from support.fake_cuda import COUNTS, Array, Tensor
from wirecost.messaging.tensor import (
    decode,
    encode,
    staging,
    to_device,
    to_host,
    to_host_pinned,
    use_devices,
)
from wirecost.messaging.tensor.staging import Staging
from wirecost.system.errors import UserError

ONES = np.arange(6.0).reshape(2, 3)
REMEDY = " name another device, or leave host_to_device out"


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a fake device in a program that says nothing about devices before and after."""
    fake_cuda.install(monkeypatch)
    monkeypatch.setattr(staging, "_TORCH", Staging(staging._locked_by_torch))
    monkeypatch.setattr(staging, "_CUPY", Staging(staging._locked_by_cupy))
    yield
    use_devices()


def sent(obj: Any) -> bytes:
    return encode(obj).tobytes()


def test_without_a_word_about_it_a_device_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(UserError, match=r"is on .*cuda.*use_devices\(device_to_host"):
        encode({"a": Tensor(ONES, "cuda:0")})


@pytest.mark.parametrize("how", ["copy", "pinned"])
@pytest.mark.parametrize("make", [lambda a: Tensor(a, "cuda:0"), Array], ids=["torch", "cupy"])
def test_said_once_it_holds_for_all_that_is_encoded(how: str, make: Any) -> None:
    use_devices(device_to_host=how)
    received = decode(sent({"a": [make(ONES)], "b": 1}), as_="numpy")
    assert received["a"][0].tolist() == ONES.tolist() and received["b"] == 1
    assert COUNTS["plain copies" if how == "copy" else "copies"] == 1
    assert COUNTS["locked"] == (how == "pinned")
    assert encode({"a": make(ONES)}).copies == 1


def test_what_the_call_says_goes_before_what_was_said_once() -> None:
    use_devices(device_to_host="pinned")
    frame = encode(Tensor(ONES, "cuda:0"), device_to_host=lambda one: Tensor(one.array + 1))
    assert decode(frame.tobytes(), as_="numpy").tolist() == (ONES + 1).tolist()


def test_page_locked_memory_is_used_again_and_never_while_a_frame_has_it() -> None:
    use_devices(device_to_host="pinned")
    first, second = encode(Tensor(ONES, "cuda:0")), encode(Tensor(ONES + 1, "cuda:0"))
    assert COUNTS["locked"] == 2
    assert decode(first.tobytes(), as_="numpy").tolist() == ONES.tolist()
    assert decode(second.tobytes(), as_="numpy").tolist() == (ONES + 1).tolist()
    del first, second
    gc.collect()
    for number in range(5):
        frame = encode(Tensor(ONES + number, "cuda:0"))
        assert decode(frame.tobytes(), as_="numpy")[0, 0] == number
        del frame
    assert COUNTS["locked"] == 2
    assert COUNTS["waits"] == COUNTS["copies"] == 7


def test_a_part_of_the_copy_keeps_its_memory() -> None:
    staging = Staging(lambda nbytes: np.zeros(nbytes, np.uint8))
    part = staging.borrow(100)[:10].view("u2")[1:]
    assert staging.kept == 0
    other = staging.borrow(100)
    assert not np.shares_memory(part, other)
    del part
    assert staging.kept == 1 << 16
    assert len(staging.borrow(1 << 17)) == 1 << 17


def test_no_more_is_kept_than_was_said() -> None:
    staging = Staging(lambda nbytes: np.zeros(nbytes, np.uint8), most=1 << 17)
    lent = [staging.borrow(1 << 16) for _ in range(5)]
    lent.clear()
    assert staging.kept == 1 << 17


def test_received_tensors_go_to_the_device_that_was_said() -> None:
    frame = sent({"a": Tensor(ONES), "b": (Tensor(ONES), ONES)})
    assert decode(frame)["a"].device.type == "cpu"
    use_devices(host_to_device="cuda:0")
    received = decode(frame)
    assert received["a"].device.type == received["b"][0].device.type == "cuda"
    assert received["a"].array.tolist() == ONES.tolist()
    assert type(received["b"][1]) is np.ndarray
    assert decode(sent(Tensor(ONES))).device.type == "cuda"
    assert COUNTS["waits"] == 3
    use_devices(host_to_device=lambda message: [message])
    assert type(decode(sent(Tensor(ONES)))) is list


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"device_to_host": "quickly"}, 'device_to_host=\'quickly\': give "copy", "pinned"'),
        ({"host_to_device": "gpu"}, 'device \'gpu\': give "cuda" or "cuda:NUMBER"'),
        ({"host_to_device": "cuda:x"}, "device 'cuda:x'"),
        ({"host_to_device": "cuda:" + 5000 * "9"}, 'give "cuda" or "cuda:NUMBER"'),
        ({"host_to_device": 1}, 'host_to_device=1: give a device such as "cuda:0"'),
        ({"device_to_host": True}, "device_to_host=True: give"),
    ],
)
def test_other_words_are_refused(said: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError, match=why):
        use_devices(**said)


def test_a_device_that_is_not_there_is_one_line() -> None:
    why = "RuntimeError: CUDA error: invalid device ordinal"
    with pytest.raises(UserError) as raised:
        to_device([Tensor(ONES)], "cuda:7")
    assert str(raised.value).endswith(f"on cuda:7: {why};{REMEDY}")


def test_what_is_on_the_host_stays_as_it_is() -> None:
    tensor = Tensor(ONES)
    assert to_host_pinned({"a": (tensor, ONES)})["a"][0] is tensor
    assert to_device(ONES, "cuda") is ONES
    assert to_host([1, None]) == [1, None]


def test_a_tensor_without_elements() -> None:
    empty = to_host_pinned(Tensor(np.zeros((0, 3), "f4"), "cuda:0"))
    assert empty.numpy().shape == (0, 3)


def _given(given: Any, _: Any) -> Any:
    return given


def test_a_function_may_give_an_array_of_numpy_and_nothing_else() -> None:
    frame = encode([Tensor(ONES, "cuda:0")], device_to_host=lambda one: one.array + 1)
    assert type(decode(frame.tobytes())[0]) is Tensor
    assert decode(frame.tobytes(), as_="numpy")[0].tolist() == (ONES + 1).tolist()
    for moved in (Tensor(ONES, "cuda:0"), "text"):
        for tensor in (Tensor(ONES, "cuda:0"), Array(ONES)):
            with pytest.raises(UserError, match=r"device_to_host gave .*; wirecost\.to_host gives"):
                encode(tensor, device_to_host=partial(_given, moved))


class Own(Tensor):
    """A class of the program's own."""


@pytest.mark.parametrize("move", [to_host, to_host_pinned])
def test_a_class_of_the_programs_own_is_moved_too(move: Any) -> None:
    frame = encode(Own(ONES, "cuda:0"), device_to_host=move)
    assert decode(frame.tobytes(), as_="numpy").tolist() == ONES.tolist()


def test_a_tensor_on_another_device_is_copied_and_one_that_is_there_is_not() -> None:
    there = Tensor(ONES, "cuda:0")
    assert to_device(there, "cuda") is there
    moved = to_device(Tensor(ONES, "cuda:1"), "cuda:0")
    assert (moved.device.type, moved.device.index) == ("cuda", 0)


def test_senders_in_several_threads_never_get_the_same_memory() -> None:
    staging = Staging(lambda nbytes: np.zeros(nbytes, np.uint8))
    failures: list[BaseException] = []
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def send(mine: int) -> None:
        try:
            for _ in range(2000):
                lent = staging.borrow(8)
                lent[:] = mine
                assert set(lent.tolist()) == {mine}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(usual)
    assert failures == []
    assert staging.kept <= 2 * len(threads) << 16  # the last one is held while the next is lent
