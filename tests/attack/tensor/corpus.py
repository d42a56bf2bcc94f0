# SPDX-License-Identifier: Apache-2.0
"""Good frames of every framework that is installed, of every type of element that it has."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import zoneinfo
from collections.abc import Callable, Iterable
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import numpy as np

from support.pandas_columns import calendar_days, pandas_columns
from wirecost.messaging.tensor import compress, encode, register
from wirecost.messaging.tensor.frameworks import ROOTS

_NUMBERS = ("?", "u1", "i1", "<i2", ">i2", "<u4", "i4", "i8", ">u8")
_NUMBERS += ("f2", "<f4", ">f4", "f8", "c8", ">c16")


@register
@dataclasses.dataclass
class Pose:
    frame: str
    position: Any


@register
class Gear(enum.Enum):
    FORWARD = 1


@dataclasses.dataclass
class Unregistered:
    x: int


def values() -> Iterable[Any]:
    yield {"a": [1, None, True, 2.5, {"b": (True, -7)}], "text": "grüß", "long": "x" * 3000}
    yield [1 << 80, complex(1, 2), b"\0\xff", bytearray(2000), memoryview(b"abc" * 500)]
    yield {(i, str(i)): i for i in range(80)}
    yield {1.5 * i for i in range(80)}
    yield [frozenset({1, "a"}), {1, 2}, (), (1, (2, (3,)))]
    yield [dt.datetime(2024, 2, 29, 1, 2, 3), dt.date(1, 1, 1), dt.time(23, 59), dt.timedelta(3, 4)]
    yield dt.datetime(2024, 10, 27, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1)
    yield [Pose("base", np.arange(3.0)), Gear.FORWARD, Unregistered(4)]


def arrays() -> Iterable[Any]:
    for kind in _NUMBERS:
        yield np.arange(24).reshape(2, 3, 4).astype(kind)
    for kind in ("M8[ns]", "m8[us]", "U4", ">U2", "S3", "V2"):
        yield np.arange(6).astype("i8").astype("S8" if kind == "V2" else kind)
    yield np.zeros(3, [("x", "<f4"), ("n", ">i2", (2, 3)), ("in", [("b", "?")])])
    yield np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    yield {"image": np.zeros((48, 64, 3), "u1"), "pose": np.eye(4), "none": np.zeros((3, 0))}
    yield [np.float32(2.5), np.int64(3), np.array(2.5), np.datetime64("2020-01-01")]
    if find_spec("ml_dtypes"):
        import ml_dtypes

        for name in ("bfloat16", "float8_e4m3fn"):
            yield np.arange(4).astype(getattr(ml_dtypes, name))


def compressed() -> Iterable[Any]:
    rows = np.arange(48, dtype="u1")[:, None] * np.arange(64, dtype="u1")
    colours = np.stack([rows, rows ^ 255, rows[::-1]], axis=2)
    for codec in ("lz4", "zstd", "jpeg"):
        yield compress(rows, codec)
        yield {"left": compress(colours, codec), "right": compress(colours[:, ::-1], codec), "t": 1}
    for codec in ("lz4", "zstd"):
        yield [compress(np.arange(24).reshape(2, 3, 4).astype(kind), codec) for kind in _NUMBERS]
        yield compress(np.asfortranarray(np.eye(9)), codec)
        yield compress(np.zeros(4000), codec)
        yield compress(np.zeros((3, 0)), codec)
    yield compress(np.zeros(3, [("x", "<f4"), ("in", [("b", "?")])]), "zstd", level=19)
    yield compress(np.full((200, 300, 3), 77, "u1"), "jpeg", quality=10)


def _tensors(make: Callable[[Any], Any], kinds: Iterable[str]) -> Iterable[Any]:
    for kind in kinds:
        yield {"t": make(np.arange(6).reshape(2, 3).astype(kind))}


def torch() -> Iterable[Any]:
    import torch

    yield from _tensors(torch.tensor, ("?", "u1", "i2", "i8", "f2", "f4", "f8", "c8"))
    yield torch.arange(6, dtype=torch.bfloat16)


def tensorflow() -> Iterable[Any]:
    import tensorflow

    yield from _tensors(tensorflow.constant, ("?", "u1", "i8", "f2", "f4", "c8"))


def jax() -> Iterable[Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    yield from _tensors(jax.numpy.array, ("?", "u1", "i8", "f2", "f4", "f8", "c8"))
    yield jax.numpy.arange(6, dtype="bfloat16")


def mxnet() -> Iterable[Any]:
    import mxnet

    yield from _tensors(mxnet.nd.array, ("u1", "i8", "f4", "f8"))


def paddle() -> Iterable[Any]:
    import paddle

    yield from _tensors(lambda a: paddle.to_tensor(a, place="cpu"), ("?", "u1", "i8", "f4", "f8"))


def dask() -> Iterable[Any]:
    import dask.array
    import dask.dataframe
    import pandas as pd

    yield dask.array.from_array(np.arange(20.0).reshape(4, 5), chunks=(2, 3))
    yield dask.array.zeros((3, 0), chunks=(1, 1))
    yield dask.dataframe.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=2)


def pandas() -> Iterable[Any]:
    import pandas as pd

    days = calendar_days(pd)
    columns = pandas_columns(pd) | {
        "u": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2022-02-02"]),
    }
    for name, values in columns.items():
        yield pd.Series(values, name=name)
    yield pd.DataFrame({name: columns[name] for name in ("f", "s", "a", "u")})
    yield pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("xyz"))
    yield pd.Series([1, 2, 3, 4], index=days)
    yield pd.DataFrame({"i": np.arange(4, dtype="i2"), "f": np.arange(4.0)}, index=[3, 1, 4, 1])
    levels = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["l", None])
    yield pd.DataFrame(np.eye(4), index=levels, columns=[1, "mixed", None, 2.5])
    yield pd.DataFrame()
    yield [pd.Timestamp("2020-07-01", tz="Europe/Berlin"), pd.Timedelta("1s"), pd.NA, pd.NaT]
    yield pd.RangeIndex(5)


def pyarrow() -> Iterable[Any]:
    import pyarrow as pa

    arrays = _arrow_arrays(pa)
    yield from arrays.values()
    for name, array in arrays.items():
        yield pa.table({name: array})
    runs = pa.RunEndEncodedArray.from_arrays([2, 4], pa.array([1, None]))
    yield pa.table({"runs": runs, "views": pa.array([[1]] * 4, pa.list_view(pa.int8()))})
    yield pa.table({"a": [1, 2], "s": ["x", "y"]}).replace_schema_metadata({"k": "v"})
    yield pa.concat_tables([pa.table({"a": [1, 2]}), pa.table({"a": [3]})])
    yield pa.table({"a": [1, 2]}).to_batches()[0]
    yield pa.Tensor.from_numpy(np.arange(6).reshape(2, 3), dim_names=["a", "b"])
    yield pa.scalar(5, pa.int8())


def _arrow_arrays(pa: Any) -> dict[str, Any]:
    text = ["a", None, "long" * 9, ""]
    return {
        "numbers": pa.array([1, None, 3, 4], pa.int16()),
        "halves": pa.array(np.arange(4, dtype="f2")),
        "truth": pa.array([True, None, False, True]),
        "decimals": pa.array([Decimal("1.25"), None] * 2, pa.decimal128(9, 2)),
        "times": pa.array([dt.datetime(2020, 1, 1), None] * 2, pa.timestamp("us", "UTC")),
        "dates": pa.array([dt.date(2020, 1, 1), None] * 2),
        "hours": pa.array([dt.time(1), None] * 2),
        "texts": pa.array(text),
        "large texts": pa.array(text, pa.large_string()),
        "text views": pa.array(text, pa.string_view()),
        "bytes": pa.array([b"a", None, b"\0" * 20, b""], pa.binary()),
        "fixed bytes": pa.array([b"ab", None] * 2, pa.binary(2)),
        "lists": pa.array([[1, 2], None, [], [3]], pa.list_(pa.int32())),
        "fixed lists": pa.array([[1, 2], None, [3, None], [4, 5]], pa.list_(pa.int8(), 2)),
        "structs": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, None]),
        "maps": pa.array([[("k", 1)], None, [], [("l", None)]], pa.map_("str", "i4")),
        "dictionary": pa.array(text).dictionary_encode(),
        "nulls": pa.nulls(4),
        "nested": pa.array([[{"t": ["x", None]}], None, [], []]),
    }


def polars() -> Iterable[Any]:
    import polars as pl

    columns = {
        "i": [1, None, 3],
        "s": ["a", "b" * 20, None],
        "c": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        "e": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x"])),
        "l": [[1.5], [], None],
        "t": [{"a": 1}, {"a": 2}, {"a": None}],
        "d": [dt.date(2020, 1, 1), None, None],
        "f": pl.Series([[1, 2], [3, 4], None], dtype=pl.Array(pl.Int8, 2)),
        "n": pl.Series([None, None, None]),
    }
    for name, values in columns.items():
        yield pl.DataFrame({name: values})
    yield pl.DataFrame(columns)
    yield pl.Series("s", [1, 2])


def xarray() -> Iterable[Any]:
    import pandas as pd
    import xarray as xr

    coordinates = {
        "time": pd.date_range("2020-01-01", periods=2),
        "x": ["a", "b", "c"],
        "lat": ("x", [1.0, 2.0, 3.0], {"units": "deg"}),
    }
    array = xr.DataArray(np.arange(6.0).reshape(2, 3), coordinates, ("time", "x"), name="speed")
    yield array
    yield array.variable
    yield xr.Dataset({"speed": ("x", [1, 2, 3])}, {"x": [1, 2, 3]}, {"title": "run"})


def zarr() -> Iterable[Any]:
    import zarr

    yield zarr.create_array({}, data=np.arange(20).reshape(4, 5), chunks=(2, 3))
    yield zarr.create_array({}, data=np.zeros((), "f4"))
    group = zarr.create_group({}, attributes={"a": 1})
    group.create_array("x", data=np.ones(3))
    yield group


def pint() -> Iterable[Any]:
    import pint

    registry = pint.get_application_registry()
    for unit in ("m", "kg * m ** 2 / s ** 3", "degC"):
        yield registry.Quantity(np.arange(3.0), unit)
    yield registry.Unit("m ** 0.5")
    yield registry.Quantity(5, "m")


def pillow() -> Iterable[Any]:
    from PIL import Image

    for mode in ("1", "L", "P", "LA", "I;16", "RGB", "YCbCr", "RGBA", "CMYK", "I", "F"):
        yield Image.new("L" if mode == "I;16" else "RGB", (7, 5), 9).convert(mode)
    yield Image.new("RGB", (0, 3))


_MAKERS: dict[str, Callable[[], Iterable[Any]]] = {
    "values": values,
    "numpy": arrays,
    "compressed": compressed,
    "torch": torch,
    "tensorflow": tensorflow,
    "jax": jax,
    "mxnet": mxnet,
    "paddle": paddle,
    "dask": dask,
    "pandas": pandas,
    "pyarrow": pyarrow,
    "polars": polars,
    "xarray": xarray,
    "zarr": zarr,
    "pint": pint,
    "pillow": pillow,
}
"""CuPy's need a device."""
_OTHERS = {"values": "numpy", "compressed": "simplejpeg"}
"""What is no framework, with a package that it needs."""


def installed(framework: str) -> bool:
    return find_spec(_OTHERS.get(framework) or ROOTS[framework][0]) is not None


def frameworks() -> list[str]:
    """Return the frameworks that are installed, and Python's own values."""
    return [name for name in _MAKERS if installed(name)]


def frames(framework: str) -> list[bytes]:
    """Return frames of a few kilobytes as the framework's sender would send them."""
    return [encode(value).tobytes() for value in _MAKERS[framework]()]
