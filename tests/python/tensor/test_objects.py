# SPDX-License-Identifier: Apache-2.0
"""Tables, labelled arrays, images and quantities through a frame."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from support import needs
from support.hostile_tensors import hostile
from support.pandas_columns import calendar_days, pandas_columns
from wirecost.messaging.tensor import FrameError, decode, encode
from wirecost.messaging.tensor.memory import own_copy
from wirecost.system.errors import UserError


def there_and_back(value: Any, **options: Any) -> Any:
    return decode(own_copy(memoryview(encode(value).tobytes())), **options)


def pandas_frames() -> dict[str, Any]:
    pd = needs.package("pandas")
    needs.package("pyarrow")
    days = calendar_days(pd)
    return {
        "one block": pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("xyz")),
        "one column": pd.DataFrame({"a": [1, 2, 3, 4]}),
        "many types": pd.DataFrame(
            {"i": np.arange(4, dtype="i2")} | pandas_columns(pd),
            index=pd.Index([3, 1, 4, 1], name="key"),
        ),
        "dates": pd.DataFrame({"a": range(4)}, index=days),
        "levels": pd.DataFrame(
            np.eye(4),
            index=pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["l", None]),
            columns=[1, "mixed", None, 2.5],
        ),
        "no rows": pd.DataFrame({"a": np.array([], "f4"), "b": pd.Series([], dtype="str")}),
        "nothing": pd.DataFrame(),
        "same names": pd.DataFrame(np.arange(4).reshape(2, 2), columns=["a", "a"]),
    }


NAMES = [
    "one block",
    "one column",
    "many types",
    "dates",
    "levels",
    "no rows",
    "nothing",
    "same names",
]


@pytest.mark.parametrize("name", NAMES)
def test_pandas_frames(name: str) -> None:
    pd = needs.package("pandas")
    frame = pandas_frames()[name]
    frame.attrs["unit"] = {"x": "m"}
    for options in ({}, {"copy": True}):
        restored = there_and_back({"f": frame}, **options)["f"]
        pd.testing.assert_frame_equal(restored, frame)
        assert restored.attrs == frame.attrs
    for column in range(frame.shape[1]):
        series = frame.iloc[:, column]
        pd.testing.assert_series_equal(there_and_back(series), series)
    pd.testing.assert_index_equal(there_and_back(frame.index), frame.index)


def test_pandas_copies_nothing_it_need_not_and_refuses_objects() -> None:
    pd = needs.package("pandas")
    frame = pandas_frames()["one block"]
    assert encode(frame).copies == 0
    room = own_copy(memoryview(encode(frame).tobytes()))
    assert np.shares_memory(decode(room).to_numpy(), room)
    with pytest.raises(UserError, match="column 'o' holds Python objects"):
        encode(pd.DataFrame({"o": [1, {}]}))
    with pytest.raises(UserError, match="to_dense"):
        encode(pd.DataFrame({"s": pd.arrays.SparseArray([0, 1])}))
    moments = [pd.Timestamp("2020-01-02 03:04:05.000000006"), pd.Timedelta("1s"), pd.NA, pd.NaT]
    zoned = pd.Timestamp("2020-07-01", tz="Europe/Berlin")
    restored = there_and_back([*moments, zoned])
    assert restored[:2] == moments[:2]
    assert restored[2] is pd.NA
    assert restored[3] is pd.NaT
    assert (restored[4], restored[4].tz.key) == (zoned, "Europe/Berlin")


def arrow_arrays() -> dict[str, Any]:
    pa = needs.package("pyarrow")
    text = ["a", None, "long" * 9, "", "ü"] * 4
    lists = [[1, 2], None, [], [3], [4, None]] * 4
    return {
        "numbers": pa.array([1, None, 3] * 7, pa.int16()),
        "no nulls": pa.array(range(20), pa.float64()),
        "halves": pa.array(np.arange(20, dtype="f2")),
        "truth": pa.array([True, None, False, True] * 5),
        "decimals": pa.array([Decimal("1.25"), None] * 10, pa.decimal128(9, 2)),
        "times": pa.array([dt.datetime(2020, 1, 1), None] * 10, pa.timestamp("us", "UTC")),
        "texts": pa.array(text),
        "large texts": pa.array(text, pa.large_string()),
        "text views": pa.array(text, pa.string_view()),
        "bytes": pa.array([b"a", None, b"\0" * 20] * 7, pa.binary()),
        "fixed bytes": pa.array([b"ab", None] * 10, pa.binary(2)),
        "lists": pa.array(lists, pa.list_(pa.int32())),
        "large lists": pa.array(lists, pa.large_list(pa.int32())),
        "fixed lists": pa.array([[1, 2], None, [3, None]] * 7, pa.list_(pa.int8(), 2)),
        "structs": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}] * 7),
        "maps": pa.array([[("k", 1)], None, [], [("l", None), ("m", 2)]] * 5, pa.map_("str", "i4")),
        "dictionary": pa.array(text).dictionary_encode(),
        "nulls": pa.nulls(20),
        "nested": pa.array([[{"t": ["x", None]}], None, []] * 7),
        "none": pa.array([], pa.list_(pa.string())),
    }


ARROW = [
    "numbers", "no nulls", "halves", "truth", "decimals", "times", "texts", "large texts", "bytes",
    "text views", "fixed bytes", "lists", "large lists", "fixed lists", "structs", "maps",
    "dictionary", "nulls", "nested", "none",
]  # fmt: skip


@pytest.mark.parametrize("name", ARROW)
def test_pyarrow_arrays_and_their_slices(name: str) -> None:
    array = arrow_arrays()[name]
    for part in (array, array[3:], array[9:17], array[1:1], array[:5]):
        restored = there_and_back(part)
        assert restored.type == part.type
        assert restored.equals(part), (restored, part)
        restored.validate(full=True)


def test_pyarrow_sends_only_what_a_slice_sees() -> None:
    pa = needs.package("pyarrow")
    frame = encode(pa.array(range(100_000), pa.int64())[70_003:70_011])
    assert (frame.nbytes < 2000, frame.copies) == (True, 0)
    frame = encode(pa.array(["text"] * 100_000)[70_003:70_011])
    assert (frame.nbytes < 2000, frame.copies) == (True, 1)


def test_pyarrow_names_that_are_no_text_are_refused() -> None:
    pa = needs.package("pyarrow")
    fields = pa.struct([("inner", pa.struct([("leaf", pa.int8())]))])
    table = pa.table({"outer": pa.array([], fields)})
    for name in (b"outer", b"inner", b"leaf"):
        whole = bytearray(encode(table).tobytes())
        at = whole.index(name)
        assert whole.count(name) == 1
        whole[at] = 0xFF
        (header,) = struct.unpack_from("<I", whole, 16)
        crc = crc32(bytes(whole[32:header]), crc32(bytes(whole[:28])))
        struct.pack_into("<I", whole, 28, crc)
        with pytest.raises(FrameError, match="utf-8"):
            decode(whole)


def test_pyarrow_tables_tensors_and_scalars() -> None:
    pa = needs.package("pyarrow")
    arrays = {name: a for name, a in arrow_arrays().items() if len(a) == 20}
    table = pa.table(arrays).replace_schema_metadata({"k": "v"})
    table = pa.concat_tables([table, table.slice(5, 11)])
    for value in (table, table.slice(3, 20), table.to_batches()[0], table.column("lists")):
        assert there_and_back(value).equals(value)
    assert there_and_back(table).schema.metadata == {b"k": b"v"}
    assert there_and_back(pa.table({})).num_rows == 0
    tensor = pa.Tensor.from_numpy(np.arange(6).reshape(2, 3), dim_names=["a", "b"])
    assert there_and_back(tensor).equals(tensor)
    assert there_and_back(tensor).dim_names == ["a", "b"]
    assert there_and_back(pa.scalar(5, pa.int8())) == pa.scalar(5, pa.int8())
    with pytest.raises(UserError, match="cast"):
        encode(pa.array([1], pa.run_end_encoded(pa.int32(), pa.int64())))


def test_polars_and_what_offers_arrow() -> None:
    pl = needs.package("polars")
    needs.package("pyarrow")
    from polars.testing import assert_frame_equal, assert_series_equal

    frame = pl.DataFrame(
        {
            "i": [1, None, 3],
            "s": ["a", "b" * 20, None],
            "c": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
            "e": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x"])),
            "l": [[1.5], [], None],
            "t": [{"a": 1}, {"a": 2}, {"a": None}],
            "d": [dt.date(2020, 1, 1), None, None],
            "f": pl.Series([[1, 2], [3, 4], None], dtype=pl.Array(pl.Int8, 2)),
        }
    )
    for value in (frame, frame[1:], pl.DataFrame(), frame.select("i")):
        assert_frame_equal(there_and_back(value), value)
    for name in frame.columns:
        assert_series_equal(there_and_back(frame[name]), frame[name])
    with pytest.raises(UserError, match="collect"):
        encode(frame.lazy())

    class Offers:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return frame.__arrow_c_stream__(requested_schema)

    assert there_and_back(Offers())["i"].to_pylist() == [1, None, 3]


def test_tables_in_another_framework() -> None:
    pd, pl, pa = needs.package("pandas"), needs.package("polars"), needs.package("pyarrow")
    content = {"i": [1, 2, 3], "s": ["a", "b", "c"]}
    tables = {
        "pandas": pd.DataFrame(content),
        "polars": pl.DataFrame(content),
        "pyarrow": pa.table(content),
    }
    for value in tables.values():
        for target, other in tables.items():
            restored = there_and_back([value, np.ones(2)], as_=target)
            assert type(restored[0]) is type(other)
            assert type(restored[1]) is np.ndarray
            rows = pa.table(restored[0]).to_pydict()
            assert rows == content


def test_xarray() -> None:
    xr, pd = needs.package("xarray"), needs.package("pandas")
    array = xr.DataArray(
        np.arange(6.0).reshape(2, 3),
        dims=("time", "x"),
        coords={
            "time": pd.date_range("2020-01-01", periods=2),
            "x": ["a", "b", "c"],
            "lat": ("x", [1.0, 2.0, 3.0], {"units": "deg"}),
            "run": 7,
        },
        name="speed",
        attrs={"units": "m/s", "range": [0, 1]},
    )
    restored = there_and_back(array)
    xr.testing.assert_identical(restored, array)
    assert set(restored.xindexes) == {"time", "x"}
    assert float(restored.sel(x="b")[1]) == 4
    data = xr.Dataset({"speed": array, "n": ("x", [1, 2, 3])}, attrs={"title": "run"})
    xr.testing.assert_identical(there_and_back([data])[0], data)
    xr.testing.assert_identical(there_and_back(data.drop_indexes("x")), data.drop_indexes("x"))
    xr.testing.assert_identical(there_and_back(array.variable), array.variable)
    with pytest.raises(UserError, match="reset_index"):
        encode(array.stack(z=("time", "x")))
    if needs.package("dask.array"):
        lazy = encode(data.chunk({"x": 1}))
        assert lazy.copies > 0
        xr.testing.assert_identical(decode(lazy.tobytes()), data)


def test_dask() -> None:
    da, pd = needs.package("dask.array"), needs.package("pandas")
    array = da.from_array(np.arange(20.0).reshape(4, 5), chunks=(2, 3))
    restored = there_and_back(array)
    assert restored.chunks == array.chunks
    assert (restored.compute() == array.compute()).all()
    assert (there_and_back(np.arange(3), as_="dask").compute() == [0, 1, 2]).all()
    dd = needs.package("dask.dataframe")
    frame = pd.DataFrame({"a": range(6)})
    lazy = there_and_back(dd.from_pandas(frame, npartitions=2))
    assert lazy.npartitions == 2
    pd.testing.assert_frame_equal(lazy.compute(), frame)
    with pytest.raises(UserError, match="compute"):
        encode(needs.package("dask").delayed(1))
    with pytest.raises(UserError, match="compute_chunk_sizes"):
        encode(array[array > 3])


def test_zarr() -> None:
    zarr = needs.package("zarr")
    array = zarr.create_array({}, data=np.arange(20).reshape(4, 5), chunks=(2, 5))
    array.attrs["unit"] = "m"
    restored = there_and_back(array)
    assert (restored.chunks, dict(restored.attrs), type(restored)) == (
        (2, 5),
        {"unit": "m"},
        type(array),
    )
    assert (restored[...] == array[...]).all()
    group = zarr.create_group({}, attributes={"a": 1})
    group.create_array("x", data=np.ones(3))
    group.create_group("below").create_array("y", data=np.zeros((2, 2)), chunks=(1, 2))
    restored = there_and_back(group)
    assert dict(restored.attrs) == {"a": 1}
    assert (restored["x"][...] == 1).all()
    assert restored["below/y"].chunks == (1, 2)


def test_pint() -> None:
    pint = needs.package("pint")
    registry = pint.get_application_registry()
    for unit in ("m", "kg * m ** 2 / s ** 3", "dimensionless", "degC", "m ** 0.5"):
        value = registry.Quantity(np.arange(3.0), unit)
        restored = there_and_back(value)
        assert restored.units == value.units
        assert restored.magnitude.tolist() == [0, 1, 2]
        assert there_and_back(value.units) == value.units
    own = pint.UnitRegistry().Quantity(5, "m")
    assert there_and_back(own) == registry.Quantity(5, "m")
    assert there_and_back(registry.Quantity(np.float32(5), "m")).magnitude.dtype == np.float32


def test_pillow() -> None:
    image = needs.package("PIL.Image")
    noise = image.effect_noise((7, 5), 90)
    for mode in (
        "1",
        "L",
        "P",
        "LA",
        "I;16",
        "RGB",
        "YCbCr",
        "LAB",
        "HSV",
        "RGBA",
        "RGBX",
        "CMYK",
        "I",
        "F",
    ):
        value = noise.convert("RGB").convert("HSV") if mode == "HSV" else None
        if mode == "LAB":
            value = image.frombytes("LAB", (7, 5), bytes(range(105)))
        value = value or noise.convert("L" if mode == "I;16" else "RGB").convert(mode)
        restored = there_and_back([value])[0]
        assert (restored.mode, restored.size) == (mode, (7, 5))
        assert restored.tobytes() == value.tobytes()
        if mode == "P":
            assert restored.getpalette() == value.getpalette()
            assert restored.convert("RGB").tobytes() == value.convert("RGB").tobytes()
    value = noise.convert("P")
    value.info["transparency"] = 3
    assert there_and_back(value).info["transparency"] == 3
    restored.putpixel((0, 0), 1)
    assert there_and_back(image.new("RGB", (0, 3))).size == (0, 3)
    grey = there_and_back(noise)
    grey.putpixel((0, 0), 9)
    assert grey.getpixel((0, 0)) == 9


NOTHING = {"range": [0, 0, 1], "name": None}
MANY = {"range": [0, 1 << 40, 1], "name": None}
HOSTILE = {
    "a scalar for many rows": (
        "pandas",
        "frame",
        {"index": MANY, "columns": NOTHING, "attributes": {}, "block": 1.0},
    ),
    "a 0-d array for many rows": (
        "pandas",
        "frame",
        {"index": MANY, "columns": NOTHING, "attributes": {}, "arrays": [["numpy", np.array(1)]]},
    ),
    "a series of one for many": (
        "pandas",
        "series",
        {"index": MANY, "values": ["numpy", np.array(1)], "name": None, "attributes": {}},
    ),
    "codes without categories": (
        "pandas",
        "series",
        {
            "index": NOTHING,
            "values": ["categorical", np.array([7]), ["numpy", np.array([1])], False],
            "name": None,
            "attributes": {},
        },
    ),
    "a power of numbers": ("pint", "unit", "9 ** 99999999"),
    "a power of powers": ("pint", "quantity", [1.0, "m ** 9 ** 99999999"]),
    "a call": ("pint", "unit", "m.__class__()"),
    "an image of 10^10": (
        "pillow",
        "image",
        {
            "mode": "RGB",
            "size": [100_000, 100_000],
            "pixels": np.zeros(9, "u1"),
            "palette": None,
            "transparency": None,
        },
    ),
    "chunks of others": ("dask", "array", {"data": np.ones(3), "chunks": [[1 << 40]]}),
    "no such kind": ("zarr", "file", "/etc/passwd"),
    "dims of others": (
        "xarray",
        "variable",
        {"dims": ["x", "y"], "data": np.ones(3), "attributes": {}},
    ),
}
ROOTS = {"pillow": "PIL"}


@pytest.mark.parametrize("name", HOSTILE)
def test_objects_that_cannot_be_are_refused(name: str) -> None:
    framework, kind, body = HOSTILE[name]
    needs.package(ROOTS.get(framework, framework))
    with pytest.raises(FrameError, match=r"^frame: "):
        hostile(framework, kind, body)


def arrow_bodies() -> dict[str, Any]:
    pa = needs.package("pyarrow")

    def body(kind: Any, *node: Any) -> Any:
        schema = pa.schema([pa.field("", kind)]).serialize().to_pybytes()
        return {"schema": schema, "chunks": [list(node)]}

    eight = np.zeros(8, "u1")
    return {
        "offsets beyond": body(
            pa.string(), 1, 0, [None, np.array([0, 99], "<i4"), eight], [], None
        ),
        "offsets backwards": body(
            pa.list_(pa.int8()), 2, 0, [None, np.array([0, 5, 2], "<i4")],
            [[8, 0, [None, eight], [], None]], None,
        ),
        "no text": body(pa.string(), 1, 0, [None, np.array([0, 1], "<i4"), eight + 255], [], None),
        "too short": body(pa.int64(), 2, 0, [None, eight], [], None),
        "short bitmap": body(pa.int8(), 8, 1, [np.zeros(1, "u1"), np.zeros(9, "u1")], [], None),
        "negative": body(pa.int8(), -1, 0, [None, eight], [], None),
        "too many nulls": body(pa.null(), 1 << 39, 0, [None], [], None),
        "no buffers": body(pa.int8(), 1, 0, [None], [], None),
        "missing values": body(pa.int8(), 1, 0, [None, None], [], None),
        "children of others": body(
            pa.struct([("a", pa.int8())]), 9, 0, [None], [[8, 0, [None, eight], [], None]], None
        ),
        "no children": body(pa.list_(pa.int8()), 1, 0, [None, np.array([0, 1], "<i4")], [], None),
        "indices beyond": body(
            pa.dictionary(pa.int8(), pa.int8()), 1, 0, [None, eight + 5], [],
            [1, 0, [None, eight], [], None],
        ),
        "views beyond": body(
            pa.string_view(), 1, 0,
            [None, np.array([99, 0, 7, 1 << 20], "<i4"), eight], [], None,
        ),
        "no schema": {"schema": b"x" * 40, "chunks": []},
    }  # fmt: skip


@pytest.mark.parametrize("name", [
    "offsets beyond", "offsets backwards", "no text", "too short", "short bitmap", "negative",
    "too many nulls", "no buffers", "missing values", "children of others", "no children",
    "indices beyond", "views beyond", "no schema",
])  # fmt: skip
def test_arrow_buffers_that_lie_are_refused(name: str) -> None:
    with pytest.raises(FrameError, match=r"^frame: "):
        hostile("pyarrow", "array", arrow_bodies()[name])


@pytest.mark.parametrize("text", [b"_PL_ENUM_VALUES2", b"1;a1;b", b"9;a", b"-1;", b"\xff;"])
def test_polars_does_not_end_the_program_for_metadata(text: bytes) -> None:
    pl, pa = needs.package("polars"), needs.package("pyarrow")
    key = b"_PL_ENUM_VALUES2"
    kind = pa.dictionary(pa.uint8(), pa.string_view(), ordered=True)
    values = pa.DictionaryArray.from_arrays(
        pa.array([0], pa.uint8()), pa.array(["zz"], pa.string_view()), ordered=True
    )
    table = pa.table([values], pa.schema([pa.field("e", kind, metadata={key: text})]))
    try:
        decoded = decode(encode(table).tobytes(), as_="polars")
    except FrameError:
        return
    assert isinstance(decoded, pl.DataFrame)
