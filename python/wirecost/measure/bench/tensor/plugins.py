# SPDX-License-Identifier: Apache-2.0
"""The kinds of objects that are sent: how each is made of an array, and seen as one again."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirecost.system.errors import UserError

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.tensor.arrays import Array

DEVICES = ("cpu", "cuda")


@dataclass(frozen=True)
class FrameworkPlugin:
    """Plugin for a framework's objects.

    ``make`` copies an array into a new object; it gets the framework's module first. ``host``
    returns an object as NumPy's array, without a copy where the framework can.
    """

    name: str
    module: str
    make: Callable[[Any, Array, str], Any]
    host: Callable[[Any], Array]
    pip: str = ""
    """Package that installs it, if that has not its name."""
    tables: bool = False
    """True if it holds rows and columns only."""
    dtypes: tuple[str, ...] = ()
    """Types it can hold, if not all."""
    cuda: bool = False
    """True if its objects can lie on a device."""
    apart: bool = False
    """True if it has threads and libraries that want processes of their own."""
    image: bool = False
    """True if it sends NumPy's arrays that look like a camera's image, whatever the content."""
    codec: str = ""
    """Compression of its objects before they are encoded; see ``wirecost.tensor.compress``."""
    tolerance: float = 0.0
    """Most that elements of a page may differ by on average, where the codec is lossy."""

    def missing(self, device: str) -> str | None:
        """Return why it cannot be used here, on one line. Imports nothing."""
        if device != "cpu" and not self.cuda:
            return "its objects lie on the host"
        on_device = device != "cpu" or self.name == "cupy"
        if on_device and not any(Path("/dev").glob("nvidia[0-9]*")):
            return "no device"
        if importlib.util.find_spec(self.module.partition(".")[0]) is None:
            return f"{self.name} is not installed: pip install {self.pip or self.module}"
        if on_device and device == "cpu":
            return "its objects lie on a device: give --device cuda"
        return None

    def refuses(self, shape: tuple[int, ...], dtype: str) -> str | None:
        """Return why it has no such object."""
        if self.tables and len(shape) != 2:
            return f"has two dimensions, not {len(shape)}"
        if self.image:
            from wirecost.measure.bench.tensor.camera import LEAST  # noqa: PLC0415 - as in _asarray

            if (len(shape) != 2 and shape[2:] != (3,)) or min(shape[:2]) < LEAST:
                return f"has height x width or height x width x 3, from {LEAST}x{LEAST} on"
        if self.dtypes and dtype not in self.dtypes:
            return f"has no {dtype}, only {', '.join(self.dtypes)}"
        return None

    def load(self) -> Any:
        """Return the framework's module. Raises UserError."""
        try:
            return _begun_jax() if self.name == "jax" else importlib.import_module(self.module)
        except Exception as error:
            raise UserError(f"{self.name} cannot be imported: {error}") from error

    def check_kind(self, obj: Any) -> str | None:
        """Return None for an object of the framework, else what arrived."""
        root = type(obj).__module__.partition(".")[0]
        module = "numpy" if self.image else self.module
        roots = {module.partition(".")[0], *(("jaxlib",) if self.name == "jax" else ())}
        if root in roots:
            return None
        return f"{type(obj).__module__}.{type(obj).__qualname__} arrived, not {self.name}'s"


@cache
def _begun_jax() -> Any:
    """Import JAX and make an array with it.

    With its first array it imports half of itself: that should be in the main thread, and not when
    a middleware's threads are there and a message is waited for.
    """
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jax.numpy.array(_asarray([0.0])).block_until_ready()
    return jax


def _torch(torch: Any, array: Array, device: str) -> Any:
    return torch.tensor(array, device=device)


def _tensorflow(tf: Any, array: Array, device: str) -> Any:
    with tf.device("/GPU:0" if device == "cuda" else "/CPU:0"):
        return tf.constant(array)


def _jax(jax: Any, array: Array, device: str) -> Any:
    tensor = jax.numpy.array(array, device=jax.devices("cuda" if device == "cuda" else "cpu")[0])
    return tensor.block_until_ready()


def _mxnet(mx: Any, array: Array, device: str) -> Any:
    tensor = mx.nd.array(array, mx.gpu() if device == "cuda" else mx.cpu(), dtype=array.dtype)
    tensor.wait_to_read()
    return tensor


def _paddle(paddle: Any, array: Array, device: str) -> Any:
    place = paddle.CUDAPlace(0) if device == "cuda" else paddle.CPUPlace()
    return paddle.to_tensor(array, place=place)


def _pandas_pyarrow(pandas: Any, array: Array, _device: str) -> Any:
    arrow = importlib.import_module("pyarrow")
    columns = {str(i): arrow.array(column.copy()) for i, column in enumerate(array.T)}
    return pandas.DataFrame(
        {k: pandas.array(v, pandas.ArrowDtype(v.type)) for k, v in columns.items()}
    )


def _pyarrow(arrow: Any, array: Array, _device: str) -> Any:
    """Return rows as lists of a fixed size: Arrow's form of more than one dimension."""
    values = arrow.array(array.reshape(-1).copy())
    width = array.size // array.shape[0] if array.ndim > 1 else 1
    return arrow.FixedSizeListArray.from_arrays(values, width)


def _pillow(image: Any, array: Array, _device: str) -> Any:
    return image.fromarray(array.copy())


def _asarray(obj: Any) -> Array:
    import numpy as np  # noqa: PLC0415 - names are listed without it

    return np.asarray(obj)


def _image(_module: Any, array: Array, _device: str) -> Any:
    return array.copy()


IMAGE: dict[str, Any] = {"dtypes": ("uint8",), "image": True}
NUMPY = FrameworkPlugin("numpy", "numpy", lambda np_, a, _: np_.array(a), lambda o: o)
PLUGINS = {
    plugin.name: plugin
    for plugin in (
        NUMPY,
        FrameworkPlugin("torch", "torch", _torch, lambda o: o.cpu().numpy(), cuda=True,
                        apart=True),
        FrameworkPlugin(
            "tensorflow", "tensorflow", _tensorflow, lambda o: o.numpy(), "tensorflow-cpu",
            cuda=True, apart=True,
        ),
        FrameworkPlugin("jax", "jax", _jax, _asarray, cuda=True, apart=True),
        FrameworkPlugin("mxnet", "mxnet", _mxnet, lambda o: o.asnumpy(), cuda=True, apart=True),
        FrameworkPlugin("paddle", "paddle", _paddle, lambda o: o.numpy(), "paddlepaddle", cuda=True,
                        apart=True),
        FrameworkPlugin("cupy", "cupy", lambda cp, a, _: cp.array(a), lambda o: o.get(),
                        "cupy-cuda12x", cuda=True, apart=True),
        FrameworkPlugin("pandas-numpy", "pandas", lambda pd, a, _: pd.DataFrame(a.copy()),
                        lambda o: o.to_numpy(), tables=True),
        FrameworkPlugin("pandas-pyarrow", "pandas", _pandas_pyarrow,
                        lambda o: o.to_numpy(o.dtypes.iloc[0].numpy_dtype), tables=True),
        FrameworkPlugin("polars", "polars", lambda pl, a, _: pl.DataFrame(a.copy()),
                        lambda o: o.to_numpy(), tables=True),
        FrameworkPlugin("pyarrow", "pyarrow", _pyarrow,
                        lambda o: o.flatten().to_numpy(zero_copy_only=False)),
        FrameworkPlugin("xarray", "xarray", lambda xr, a, _: xr.DataArray(a.copy(), name="array"),
                        lambda o: o.values),
        FrameworkPlugin("dask", "dask.array",
                        lambda da, a, _: da.from_array(a.copy(), chunks=a.shape),
                        lambda o: o.compute()),
        FrameworkPlugin("zarr", "zarr", lambda z, a, _: z.array(a), lambda o: o[...]),
        FrameworkPlugin("pint", "pint",
                        lambda p, a, _: p.get_application_registry().Quantity(a.copy(), "m"),
                        lambda o: o.magnitude),
        FrameworkPlugin("pillow", "PIL.Image", _pillow, _asarray, "pillow", tables=True,
                        dtypes=("uint8", "int32", "float32")),
        FrameworkPlugin("image", "numpy", _image, lambda o: o, **IMAGE),
        FrameworkPlugin("image-lz4", "lz4.block", _image, lambda o: o, "lz4", codec="lz4", **IMAGE),
        FrameworkPlugin("image-zstd", "zstandard", _image, lambda o: o, codec="zstd", **IMAGE),
        FrameworkPlugin("image-jpeg", "simplejpeg", _image, lambda o: o, codec="jpeg",
                        tolerance=8.0, **IMAGE),
    )
}  # fmt: skip


def as_array(plugin: FrameworkPlugin, obj: Any, shape: tuple[int, ...]) -> Array:
    """Return an object as NumPy's array of that shape, if it has as many elements."""
    array = plugin.host(obj)
    return array.reshape(shape) if plugin.name == "pyarrow" and array.size == prod(shape) else array


def touch(array: Array) -> float:
    """Read an element of every page; return their sum."""
    step = max(1, 4096 // max(1, array.itemsize))
    return float(array.reshape(-1)[::step].sum().real)
