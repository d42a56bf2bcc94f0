# SPDX-License-Identifier: Apache-2.0
"""Stand-in for PyTorch, CuPy and JAX with a CUDA device, where no machine has one.

It has what wirecost calls of them, over NumPy's memory. It shows that the right calls are made
in the right order, and nothing about a device. It counts what was locked, copied and waited for."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from wirecost.messaging.tensor import packages, writer

COUNTS: Counter[str] = Counter()


class _Type:
    def __init__(self, dtype: Any) -> None:
        self.np = dtype

    def __str__(self) -> str:
        return f"torch.{self.np.name}"


TYPES = ("bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64")


class Tensor:
    layout, is_quantized = "strided", False

    def __init__(self, array: Any, device: str = "cpu", *, pinned: bool = False) -> None:
        kind, _, number = device.partition(":")
        self.array, self.pinned = array, pinned
        self.device = SimpleNamespace(type=kind, index=int(number or 0))
        self.waits = False

    @property
    def dtype(self) -> Any:
        return _Type(self.array.dtype)

    @property
    def shape(self) -> Any:
        return self.array.shape

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)

    def detach(self) -> Tensor:
        return self

    resolve_conj = resolve_neg = detach

    def contiguous(self) -> Tensor:
        COUNTS["gaps"] += not self.array.flags.c_contiguous
        return Tensor(np.array(self.array, order="C"), f"cuda:{self.device.index}")

    def data_ptr(self) -> int:
        assert self.device.type == "cuda"
        return int(self.array.ctypes.data)

    def is_conj(self) -> bool:
        return False

    is_neg = is_conj

    def numpy(self) -> Any:
        assert self.device.type == "cpu"
        assert not self.waits
        return self.array

    def view(self, to: Any) -> Tensor:
        array = self.array.view(to.np) if hasattr(to, "np") else self.array.reshape(to)
        return Tensor(array, pinned=self.pinned)

    def copy_(self, other: Tensor, *, non_blocking: bool = False) -> None:
        COUNTS["copies"] += 1
        self.array[...] = other.array
        self.waits = non_blocking
        STREAM.copied.append(self)

    def cpu(self) -> Tensor:
        COUNTS["plain copies"] += self.device.type != "cpu"
        return Tensor(self.array.copy())

    def to(self, device: str) -> Tensor:
        if not device.startswith("cuda:0"):
            raise RuntimeError("CUDA error: invalid device ordinal\nmore of it")
        return Tensor(self.array.copy(), device)


class Stream:
    cuda_stream = 7

    def __init__(self) -> None:
        self.copied: list[Tensor] = []

    def synchronize(self) -> None:
        COUNTS["waits"] += 1
        for copy in self.copied:
            copy.waits = False
        self.copied.clear()


STREAM = Stream()


class Device:
    """CuPy's."""

    def __init__(self, number: int = 0) -> None:
        self.id = number

    def __enter__(self) -> None:
        CURRENT.append(self.id)

    def __exit__(self, *raised: object) -> None:
        CURRENT.pop()


CURRENT = [0]
"""CuPy's device in use, innermost last."""


class Array:
    """CuPy's."""

    def __init__(self, array: Any) -> None:
        self.array, self.device = array, Device(CURRENT[-1])
        self.data = SimpleNamespace(ptr=array.ctypes.data)
        self.nbytes, self.dtype, self.shape = array.nbytes, array.dtype, array.shape

    def get(self, out: Any = None) -> Any:
        COUNTS["copies" if out is not None else "plain copies"] += 1
        if out is None:
            return self.array.copy()
        out[...] = self.array
        return out


class JaxDevice(NamedTuple):
    platform: str
    local_hardware_id: int


class ArrayImpl:
    """JAX's."""

    def __init__(self, array: Any, platform: str = "gpu") -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
        self.nbytes, self.computed = array.nbytes, False
        self._device = JaxDevice(platform, 0)

    def devices(self) -> set[Any]:
        return {self._device}

    def block_until_ready(self) -> ArrayImpl:
        self.computed = True
        return self

    def unsafe_buffer_pointer(self) -> int:
        assert self.computed
        return int(self.array.ctypes.data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


def _empty(nbytes: Any, **kind: Any) -> Tensor:
    if "device" in kind:
        return Tensor(np.full(nbytes, 85, "u1").astype(kind["dtype"].np), kind["device"])
    assert kind["pin_memory"]
    COUNTS["locked"] += 1
    return Tensor(np.zeros(nbytes, np.uint8), pinned=True)


def _locked(nbytes: int) -> Any:
    COUNTS["locked"] += 1
    return bytearray(nbytes)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test."""
    COUNTS.clear()
    Tensor.__module__, Array.__module__, ArrayImpl.__module__ = "torch", "cupy", "jax"
    Array.__name__ = "ndarray"
    torch: Any = ModuleType("torch")
    torch.strided, torch.uint8, torch.Tensor = "strided", "uint8", Tensor
    torch.empty, torch.from_numpy = _empty, Tensor
    for name in TYPES:
        setattr(torch, name, _Type(np.dtype(name)))
    torch.tensor = lambda array, device: Tensor(array.copy(), f"{device}:0")
    torch.cuda = SimpleNamespace(current_stream=lambda _: STREAM)
    cupy: Any = ModuleType("cupy")
    cupy.ndarray, cupy.asarray = Array, lambda array: Array(array.copy())
    cupy.empty = lambda shape, dtype: Array(np.full(shape, 85, "u1").astype(dtype))
    cupy.ascontiguousarray = lambda one: Array(np.array(one.array, order="C"))
    cupy.cuda = SimpleNamespace(
        alloc_pinned_memory=_locked,
        Device=Device,
        get_current_stream=lambda: SimpleNamespace(ptr=9),
    )
    jax: Any = ModuleType("jax")
    jax.dlpack = SimpleNamespace(from_dlpack=lambda one: ArrayImpl(one.array))
    for module in (torch, cupy, jax):
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(packages._LOADED, module.__name__, module)
    for cls in (Tensor, Array, ArrayImpl):
        monkeypatch.delitem(writer.HANDLERS, cls, raising=False)
