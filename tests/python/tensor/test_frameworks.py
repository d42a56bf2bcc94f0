# SPDX-License-Identifier: Apache-2.0
"""Every framework's objects through a frame; those of packages that are not there are skipped."""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import decode, encode
from wirecost.messaging.tensor.memory import own_copy
from wirecost.system.errors import UserError


def received(value: Any) -> np.ndarray:
    """Frame in memory that starts on a multiple of 64, as shared memory does."""
    return own_copy(memoryview(encode(value).tobytes()))


def there_and_back(value: Any, **options: Any) -> Any:
    return decode(received(value), **options)


def within(array: np.ndarray, buffer: np.ndarray) -> bool:
    start = buffer.__array_interface__["data"][0]
    address = array.__array_interface__["data"][0]
    return bool(start <= address < start + buffer.nbytes)


STRUCTURED = np.dtype([("x", "<f4"), ("n", ">i2", (2, 3)), ("s", "U3"), ("in", [("b", "?")])])
ARRAYS = {
    **{
        kind: np.arange(24).reshape(2, 3, 4).astype(kind)
        for kind in [
            "bool",
            "i1",
            "u1",
            "<i2",
            ">i2",
            "<u4",
            ">u8",
            "i8",
            "f2",
            ">f4",
            "f8",
            "c8",
            ">c16",
            "M8[ns]",
            "m8[us]",
            "U4",
            ">U2",
            "S3",
        ]
    },
    "longdouble": np.arange(3, dtype=np.longdouble),
    "void": np.array([b"ab", b"cd"], "V2"),
    "structured": np.zeros(3, STRUCTURED),
    "with gaps": np.zeros(4, np.dtype("u1, f8", align=True)),
    "Fortran": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
    "axes turned": np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0),
    "every second": np.arange(24)[::2],
    "backwards": np.arange(24).reshape(4, 6)[::-1, ::-1],
    "repeated": np.broadcast_to(np.arange(3), (4, 3)),
    "no elements": np.zeros((3, 0, 2)),
    "no dimension": np.array(2.5),
    "empty texts": np.array(["", ""]),
    "not a time": np.array(["NaT", "2020-01-01"], "M8[D]"),
    "no unit": np.array([1], "m8"),
    "multiple of a unit": np.array([1], "m8[25s]"),
    "record array": np.rec.array([(1, 2.0)], dtype="i4, f8"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_numpy(name: str) -> None:
    value = ARRAYS[name]
    for restored in (
        there_and_back(value),
        there_and_back([value])[0],
        there_and_back(value, copy=True),
    ):
        assert (restored.dtype, restored.shape, type(restored)) == (
            value.dtype,
            value.shape,
            np.ndarray,
        )
        np.testing.assert_array_equal(restored, value)
    scalar = value.reshape(-1)[0] if value.size else value.dtype.type()
    if not isinstance(scalar, (np.void, np.record)):
        restored = there_and_back(scalar)
        assert type(restored) is type(scalar)
        assert str(restored) == str(scalar)


def test_numpy_axes_are_kept_as_they_lie() -> None:
    restored = there_and_back(ARRAYS["Fortran"])
    assert restored.flags.f_contiguous
    assert encode(ARRAYS["axes turned"]).copies == 0


def test_narrow_floats_need_ml_dtypes() -> None:
    ml_dtypes = needs.package("ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        value = np.arange(4).astype(getattr(ml_dtypes, name))
        restored = there_and_back(value)
        assert restored.dtype == value.dtype
        np.testing.assert_array_equal(restored.astype(float), np.arange(4))


def torch_of(array: np.ndarray) -> Any:
    return needs.package("torch").tensor(array)


def tensorflow_of(array: np.ndarray) -> Any:
    return needs.package("tensorflow").constant(array)


def jax_of(array: np.ndarray) -> Any:
    jax = needs.package("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.array(array)


def mxnet_of(array: np.ndarray) -> Any:
    return needs.package("mxnet").nd.array(array, dtype=array.dtype)


def paddle_of(array: np.ndarray) -> Any:
    return needs.package("paddle").to_tensor(array, place="cpu")


TENSORS: dict[str, Callable[[np.ndarray], Any]] = {
    "torch": torch_of,
    "tensorflow": tensorflow_of,
    "jax": jax_of,
    "mxnet": mxnet_of,
    "paddle": paddle_of,
}
KINDS = ["?", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8"]
NOT_THERE = {("mxnet", "i2"), ("mxnet", "c8")}
HELD = [(name, kind) for name in TENSORS for kind in KINDS if (name, kind) not in NOT_THERE]


def as_numpy(tensor: Any) -> np.ndarray:
    if hasattr(tensor, "asnumpy"):
        return tensor.asnumpy()
    return np.asarray(tensor.numpy() if hasattr(tensor, "numpy") else tensor)


@pytest.mark.parametrize(("framework", "kind"), HELD)
def test_tensors(framework: str, kind: str) -> None:
    for shape in ((2, 3), (0, 2), ()):
        array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
        tensor = TENSORS[framework](array)
        restored = there_and_back({"t": tensor})["t"]
        assert type(restored) is type(tensor)
        assert restored.dtype == tensor.dtype
        assert tuple(restored.shape) == shape
        np.testing.assert_array_equal(as_numpy(restored), array)
        np.testing.assert_array_equal(there_and_back(tensor, as_="numpy"), array)
        other = there_and_back(array, as_=framework)
        assert type(other) is type(tensor)
        np.testing.assert_array_equal(as_numpy(other), array)


@pytest.mark.parametrize("framework", TENSORS)
def test_tensors_share_the_received_memory_and_hold_its_owner(framework: str) -> None:
    class Owner:
        pass

    tensor = TENSORS[framework](np.arange(1000.0, dtype="f4"))
    frame = encode(tensor)
    assert frame.copies == 0
    room = received(tensor)
    owner = Owner()
    alive = weakref.ref(owner)
    decoded = decode(room, owner=owner)
    del owner
    gc.collect()
    assert alive() is not None
    assert within(addressed(framework, decoded), room)
    view = decoded[10:20]
    del decoded
    assert as_numpy(view)[3] == 13
    del view
    gc.collect()
    assert alive() is None


def addressed(framework: str, tensor: Any) -> np.ndarray:
    """Return an array over a tensor's memory."""
    if framework == "torch":
        return tensor.numpy()
    if framework == "tensorflow":
        return np.asarray(memoryview(tensor))
    if framework == "mxnet":
        return np.from_dlpack(Capsule(tensor.to_dlpack_for_read()))
    return np.from_dlpack(tensor) if framework == "paddle" else np.asarray(tensor)


class Capsule:
    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax", "paddle"])
def test_bfloat16(framework: str) -> None:
    package = needs.package({"jax": "jax.numpy"}.get(framework, framework))
    make = {
        "torch": lambda: package.arange(6, dtype=package.bfloat16).reshape(2, 3),
        "tensorflow": lambda: package.reshape(
            package.cast(package.range(6), package.bfloat16), (2, 3)
        ),
        "jax": lambda: package.arange(6, dtype=package.bfloat16).reshape(2, 3),
        "paddle": lambda: package.arange(6, dtype="float32").reshape([2, 3]).astype("bfloat16"),
    }[framework]
    tensor = make()
    restored = there_and_back(tensor)
    assert (type(restored), restored.dtype) == (type(tensor), tensor.dtype)
    assert (as_numpy(package_float(framework, restored)) == np.arange(6.0).reshape(2, 3)).all()


def package_float(framework: str, tensor: Any) -> Any:
    if framework == "torch":
        return tensor.float()
    if framework == "tensorflow":
        return importlib.import_module("tensorflow").cast(tensor, "float32")
    return tensor.astype("float32")


@pytest.mark.parametrize("framework", TENSORS)
def test_memory_that_is_not_aligned_is_copied_for_those_who_need_it(framework: str) -> None:
    room = np.zeros(4096, np.uint8)
    frame = encode(TENSORS[framework](np.arange(20.0, dtype="f4")))
    for shift in (1, 4, 16):
        frame.write_into(room[shift:])
        assert as_numpy(decode(room[shift:])).tolist() == list(range(20))


def test_torch_gradients_views_and_layouts() -> None:
    torch = needs.package("torch")
    tensor = torch.arange(24.0, requires_grad=True)
    restored = there_and_back(tensor)
    assert not restored.requires_grad
    assert torch.equal(restored, tensor.detach())
    parameter = torch.nn.Parameter(torch.ones(3))
    assert type(there_and_back(parameter)) is torch.Tensor
    image = torch.arange(48.0).reshape(2, 3, 2, 4).to(memory_format=torch.channels_last)
    frame = encode(image)
    assert frame.copies == 0
    assert there_and_back(image).stride() == image.stride()
    conjugate = torch.tensor([1 + 2j]).conj()
    assert there_and_back(conjugate).tolist() == [1 - 2j]
    with pytest.raises(UserError, match="sparse"):
        encode(torch.eye(2).to_sparse())
    with pytest.raises(UserError, match="numpy"):
        there_and_back(np.array(["a"]), as_="torch")


def test_jax_says_what_64_bits_need() -> None:
    script = (
        "import numpy as np; from wirecost.tensor import *\n"
        "try: print(decode(encode(np.arange(3.0)).tobytes(), as_='jax').dtype)\n"
        "except Exception as error: print(error)"
    )
    needs.package("jax")
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "float64" or "jax_enable_x64" in out.stdout


def test_nothing_is_imported_that_the_message_does_not_need() -> None:
    script = (
        "import sys, numpy as np; from wirecost.tensor import *\n"
        "class T:\n  pass\n"
        "T.__module__ = 'torch'; T.__qualname__ = T.__name__ = 'Thing'\n"
        "decode(encode({'a': np.ones(3), 'b': [1, (2,)]}).tobytes())\n"
        "try: encode(T())\nexcept Exception as error: print(error)\n"
        "names = 'torch tensorflow jax mxnet paddle cupy pandas polars pyarrow xarray dask zarr'\n"
        "print(sorted(set((names + ' pint PIL xxhash').split()) & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines() == [out.stdout.splitlines()[0], "[]"]
    assert "torch:Thing" in out.stdout


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def missing(name: str, *rest: Any) -> Any:
        if name == "paddle":
            raise ImportError("No module named 'paddle'")
        return real(name, *rest)

    packages = importlib.import_module("wirecost.messaging.tensor.packages")
    monkeypatch.setattr(importlib, "import_module", missing)
    monkeypatch.setattr(packages, "_LOADED", {})
    with pytest.raises(UserError, match='pip install paddlepaddle, or decode with as_="numpy"'):
        there_and_back(np.ones(2), as_="paddle")
    with pytest.raises(UserError, match="not one of"):
        there_and_back(np.ones(2), as_="paddl")


def test_jax_refuses_an_empty_array_of_large_extents() -> None:
    """XLA would work through the extents, or ask for their product."""
    needs.package("jax")
    frame = received(np.zeros((6,) * 17 + (0,) + (6,) * 3, "f4"))
    assert decode(frame, as_="numpy").size == 0
    with pytest.raises(UserError, match="jax: an empty array of 21 extents"):
        decode(frame, as_="jax")
    assert decode(received(np.zeros((3, 0), "f4")), as_="jax").shape == (3, 0)
