# SPDX-License-Identifier: Apache-2.0
"""Stand-in for PyTorch and CuPy with a CUDA device, where no machine has one.

It has what wirecost calls of them, over NumPy's memory. It shows that the right calls are made
in the right order, and nothing about a device. It counts what was locked, copied and waited for."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType, SimpleNamespace
from typing import Any

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
    def __init__(self) -> None:
        self.copied: list[Tensor] = []

    def synchronize(self) -> None:
        COUNTS["waits"] += 1
        for copy in self.copied:
            copy.waits = False
        self.copied.clear()


STREAM = Stream()


class Array:
    """CuPy's."""

    def __init__(self, array: Any) -> None:
        self.array, self.device = array, SimpleNamespace(id=0)
        self.nbytes, self.dtype, self.shape = array.nbytes, array.dtype, array.shape

    def get(self, out: Any = None) -> Any:
        COUNTS["copies" if out is not None else "plain copies"] += 1
        if out is None:
            return self.array.copy()
        out[...] = self.array
        return out


def _empty(nbytes: Any, **kind: Any) -> Tensor:
    assert kind["pin_memory"]
    COUNTS["locked"] += 1
    return Tensor(np.zeros(nbytes, np.uint8), pinned=True)


def _locked(nbytes: int) -> Any:
    COUNTS["locked"] += 1
    return bytearray(nbytes)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test."""
    COUNTS.clear()
    Tensor.__module__, Array.__module__ = "torch", "cupy"
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
    cupy.cuda = SimpleNamespace(
        alloc_pinned_memory=_locked,
    )
    for module in (torch, cupy):
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(packages._LOADED, module.__name__, module)
    for cls in (Tensor, Array):
        monkeypatch.delitem(writer.HANDLERS, cls, raising=False)
