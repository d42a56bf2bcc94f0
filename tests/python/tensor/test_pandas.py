# SPDX-License-Identifier: Apache-2.0
"""Data frames of many columns: as they lie in pandas' blocks and PyArrow's arrays."""

from __future__ import annotations

from typing import Any

import msgpack
import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import FrameError, decode, encode
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.matching import match
from wirecost.messaging.tensor.memory import own_copy
from wirecost.messaging.tensor.writer import Writer
from wirecost.system.errors import UserError

pd = needs.package("pandas")
needs.package("pyarrow")
NUMBERS = np.random.default_rng(2).random((6, 5))


def there_and_back(frame: Any) -> Any:
    decoded = decode(own_copy(memoryview(encode(frame).tobytes())))
    pd.testing.assert_frame_equal(decoded, frame)
    return decoded


def mixed() -> Any:
    frame = pd.DataFrame({f"c{i}": NUMBERS[i].astype("f8" if i % 2 else "i4") for i in range(6)})
    frame.insert(2, "flag", [True, False, True, True, False])
    return frame


def inserted() -> Any:
    frame = pd.DataFrame({"a": NUMBERS[0]})
    for name in range(30):
        frame[str(name)] = NUMBERS[name % 6].copy()
    return frame


def arrow() -> Any:
    frame = mixed().astype({"c1": "double[pyarrow]", "flag": "bool[pyarrow]"})
    frame["none"] = pd.array([1, None, 3, None, 5], dtype="int8[pyarrow]")
    return frame


def test_frames_arrive_whatever_their_blocks_are() -> None:
    frame = mixed()
    dates = frame.assign(day=pd.date_range("2020", periods=5), zone=pd.Categorical(list("abcab")))
    twice = pd.concat([frame, frame], axis=1)
    for value in (frame, inserted(), arrow(), dates, twice, frame[:0], arrow()[:0], arrow()[1:4]):
        restored = there_and_back(value)
        assert [str(kind) for kind in restored.dtypes] == [str(kind) for kind in value.dtypes]
    every = frame[["c5", "c0", "flag", "c2"]]
    there_and_back(every)
    there_and_back(frame.iloc[::2])
    there_and_back(pd.DataFrame(NUMBERS)[[3, 1, 2]])


def test_nothing_is_copied_but_labels_that_came_one_by_one() -> None:
    assert encode(mixed()).copies == 0
    assert encode(arrow()).copies == 0
    assert encode(inserted()[[str(i) for i in range(5)]]).copies == 0
    whole = own_copy(memoryview(encode(mixed()).tobytes()))
    decoded = decode(whole)
    assert all(np.shares_memory(decoded[name].to_numpy(), whole) for name in decoded)
    block = pd.DataFrame(NUMBERS)
    frame = encode(block)
    assert frame.copies == 0
    whole = own_copy(memoryview(frame.tobytes()))
    assert np.shares_memory(decode(whole).to_numpy(), whole)
    pd.testing.assert_frame_equal(decode(whole), block)


def test_the_received_frame_may_be_worked_with() -> None:
    for frame in (mixed(), arrow()):
        decoded = decode(encode(frame).tobytes(), copy=True)
        decoded["new"] = 1
        decoded.loc[0, "c1"] = 7.5
        assert decoded["c1"][0] == 7.5
        assert decoded.drop(columns="c3").sum().notna().all()


def hostile(**changes: Any) -> Any:
    body = {
        "index": {"range": [0, 5, 1], "name": None},
        "columns": {"range": [0, 3, 1], "name": None},
        "attributes": {},
        "blocks": [[[0, 2], NUMBERS[:2]]],
        "table": None,
        "arrays": [[1, ["numpy", NUMBERS[3]]]],
    }
    writer = Writer(match)
    description = msgpack.packb(writer.extension(2, ["pandas", "frame", body | changes]))
    header, layout = build(description, [part.nbytes for part in writer.segments], False)
    whole = bytearray(layout.total)
    whole[: len(header)] = header
    for (offset, length), segment in zip(layout.segments, writer.segments, strict=True):
        whole[offset : offset + length] = segment.tobytes()
    return decode(whole)


LIES: dict[str, dict[str, Any]] = {
    "a place twice": {"blocks": [[[0, 1], NUMBERS[:2]]]},
    "a place in a block twice": {"blocks": [[[0, 0], NUMBERS[:2]]]},
    "an array twice": {"arrays": [[1, ["numpy", NUMBERS[3]]], [1, ["numpy", NUMBERS[3]]]]},
    "a place missing": {"arrays": []},
    "a place beyond": {"blocks": [[[0, 3], NUMBERS[:2]]]},
    "a negative place": {"blocks": [[[0, -1], NUMBERS[:2]]]},
    "places that are no numbers": {"blocks": [[["0", "2"], NUMBERS[:2]]]},
    "places that are numbers by half": {"blocks": [[[0.0, 2.0], NUMBERS[:2]]]},
    "more rows in a block": {"blocks": [[[0, 2], NUMBERS[:3]]]},
    "shorter rows": {"blocks": [[[0, 2], NUMBERS[:2, :4].copy()]]},
    "a block of one dimension": {"blocks": [[[0, 2], NUMBERS[0]]]},
    "a block of times": {"blocks": [[[0, 2], NUMBERS[:2].view("M8[ns]")]]},
    "a block of texts": {"blocks": [[[0, 2], np.full((2, 5), "a")]]},
    "a shorter array": {"arrays": [[1, ["numpy", NUMBERS[3, :4].copy()]]]},
    "many rows": {"index": {"range": [0, 1 << 40, 1], "name": None}},
    "many columns": {"columns": {"range": [0, 1 << 40, 1], "name": None}},
    "a table of no columns": {"table": [[1], np.zeros(8, "u1")], "arrays": []},
}


@pytest.mark.parametrize("name", LIES)
def test_parts_that_do_not_fit_are_refused(name: str) -> None:
    assert hostile().shape == (5, 3)
    with pytest.raises(FrameError, match=r"^frame: "):
        hostile(**LIES[name])


@pytest.mark.parametrize("dtype", ["object", "str", "category", "Int64", "M8[ns]", "period[D]"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_tables_without_rows_arrive(dtype: str, count: int) -> None:
    columns = {f"c{i}": pd.Series([], dtype=dtype) for i in range(count)}
    frame = pd.DataFrame(columns)
    pd.testing.assert_frame_equal(decode(encode(frame).tobytes()), frame)
    mixed = frame.assign(number=np.empty(0))
    pd.testing.assert_frame_equal(decode(encode(mixed).tobytes()), mixed)
    series = columns["c0"]
    pd.testing.assert_series_equal(decode(encode(series).tobytes()), series)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame(index=["a", "b"]),
        pd.DataFrame(columns=["a", "b"]),
        pd.DataFrame(columns=["a"], index=pd.DatetimeIndex([])),
        pd.DataFrame(columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])),
        pd.DataFrame({"a": ["", ""]}),
    ],
)
def test_tables_with_nothing_in_them_arrive(frame: Any) -> None:
    pd.testing.assert_frame_equal(decode(encode(frame).tobytes()), frame)


def test_why_objects_are_refused_is_said() -> None:
    with pytest.raises(UserError, match="column 'a' holds missing values only, of dtype object"):
        encode(pd.DataFrame({"a": [None, None], "b": [None, None]}, dtype=object))
    with pytest.raises(UserError, match="column 'a' holds Python objects"):
        encode(pd.DataFrame({"a": [None, object()]}))
