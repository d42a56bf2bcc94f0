# SPDX-License-Identifier: Apache-2.0
"""pandas: data frames, series and indexes, with NumPy's and PyArrow's arrays."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.collisions import check_labels
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.pandas_arrays import array_of, check_rows, read_values, write_values
from wirecost.messaging.tensor.pandas_blocks import (
    arrays_in,
    only_block,
    plan_block,
    read_block,
    read_blocks,
    write_blocks,
)
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.messaging.tensor.zones import known

ROOTS = ("pandas",)
HAS_TABLES = True
PLUGIN_ORDER = 8
_MOST_PLANNED = 4096
"""Bytes of labels that are compared with those of the message before."""
_PLAIN = frozenset({str, int})
_COLUMN_BYTES = _LABEL_BYTES = 8
"""Bytes that pandas keeps of each, whether or not it came with memory."""


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; a subclass arrives as what it is a kind of."""
    pandas = load("pandas")
    if issubclass(cls, pandas.DataFrame):
        return _frame
    if issubclass(cls, pandas.Series):
        return _series
    if issubclass(cls, pandas.Index):
        return _lone_index
    if issubclass(cls, (pandas.Timestamp, pandas.Timedelta)):
        return _moment
    return _missing if cls.__name__ in {"NAType", "NaTType"} else None


def _frame(writer: Writer, frame: Any) -> Any:
    body: dict[str, object] = {
        "index": _index(frame.index, writer),
        "columns": _index(frame.columns, writer),
        "attributes": dict(frame.attrs),
    }
    block = only_block(frame)
    if block is not None:
        body["block"] = block
        return writer.extension(2, ["pandas", "frame", body])
    parts = write_blocks(frame, writer) if len(frame.columns) > 1 else None
    if parts is not None:
        return writer.extension(2, ["pandas", "frame", body | parts])
    types = set(frame.dtypes)
    only = next(iter(types)) if len(types) == 1 and len(frame.columns) > 1 else None
    if isinstance(only, np.dtype) and only.kind != "O":
        block = frame.to_numpy()
        if block.size and not np.shares_memory(block, frame.iloc[:, 0].to_numpy()):
            writer.copied(block.nbytes)
        body["block"] = block
    else:
        body["arrays"] = [
            _column(frame.iloc[:, i], name, writer) for i, name in enumerate(frame.columns)
        ]
    return writer.extension(2, ["pandas", "frame", body])


def _column(series: Any, name: Any, writer: Writer) -> Any:
    return write_values(series.array, f"column {name!r}", writer)


def _series(writer: Writer, series: Any) -> Any:
    body = {
        "index": _index(series.index, writer),
        "values": write_values(series.array, f"series {series.name!r}", writer),
        "name": series.name,
        "attributes": dict(series.attrs),
    }
    return writer.extension(2, ["pandas", "series", body])


def _lone_index(writer: Writer, index: Any) -> Any:
    return writer.extension(2, ["pandas", "index", _index(index, writer)])


def _moment(writer: Writer, moment: Any) -> Any:
    zone = None if getattr(moment, "tzinfo", None) is None else str(moment.tzinfo)
    kind = "timestamp" if hasattr(moment, "tzinfo") else "timedelta"
    return writer.extension(2, ["pandas", kind, [int(moment._value), moment.unit, zone]])


def _missing(writer: Writer, value: Any) -> Any:
    return writer.extension(2, ["pandas", "missing", type(value).__name__])


def _index(index: Any, writer: Writer) -> dict[str, object]:
    pandas = load("pandas")
    if isinstance(index, pandas.RangeIndex):
        return {"range": [index.start, index.stop, index.step], "name": index.name}
    if isinstance(index, pandas.MultiIndex):
        return {
            "levels": [_index(level, writer) for level in index.levels],
            "codes": [np.asarray(codes) for codes in index.codes],
            "names": list(index.names),
        }
    if index.dtype == object:
        return {"labels": list(index), "name": index.name}
    values = write_values(index.array, f"index {index.name!r}", writer)
    return {"values": values, "name": index.name, "freq": getattr(index, "freqstr", None)}


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Restore it: columns are views of the received memory, indexes may be copied by pandas."""
    pandas = load("pandas", 'decode with as_="polars" or as_="pyarrow" what the sender sends so')
    if kind == "frame":
        return _restore_frame(pandas, body, budget)
    if kind == "series":
        values = read_values(body["values"], budget)
        index = _restore_rows(pandas, body["index"], budget)
        check_rows(values, index)
        series = pandas.Series(values, index, name=body["name"], copy=False)
        series.attrs.update(body["attributes"])
        return series
    if kind == "index":
        return _restore_index(pandas, body, budget)
    if kind == "timestamp":
        value, unit, zone = body
        moment = pandas.Timestamp(np.datetime64(value, unit))
        return moment if zone is None else moment.tz_localize("UTC").tz_convert(known(zone))
    if kind == "timedelta":
        return pandas.Timedelta(np.timedelta64(body[0], body[1]))
    if kind == "missing":
        return pandas.NA if body == "NAType" else pandas.NaT
    raise ValueError(kind)


def plan(kind: str, body: Any) -> Callable[..., Any] | None:
    """Return what makes another data frame in one block, of a range of rows.

    It raises ValueError for other columns.
    """
    if kind != "frame" or "block" not in body or body["attributes"]:
        return None
    arrays, block = list(arrays_in(body)), body["block"]
    (place,) = (i for i, array in enumerate(arrays) if array is block)
    labels = arrays[:place] + arrays[place + 1 :]
    index, columns = _range(body["index"]), _columns(body["columns"], labels)
    make = plan_block(block, index, columns) if index and columns else None
    if make is None or not labels:
        return make
    expected = [label.tobytes() for label in labels]

    def make_labelled(*arrays: Any) -> Any:
        # From memory that others may change: what is compared is a copy.
        if [array.tobytes() for array in arrays[:place] + arrays[place + 1 :]] != expected:
            raise ValueError("other columns")
        return make(arrays[place])

    return make_labelled


def _range(body: Any) -> Callable[[], Any] | None:
    """Return what makes an index of a range; None for others."""
    name = body["name"] if "range" in body else 0
    if name is not None and type(name) is not str:
        return None
    return partial(load("pandas").RangeIndex.from_range, range(*body["range"]), name)


def _columns(body: Any, arrays: list[Any]) -> Callable[[], Any] | None:
    """Return what makes columns of a range, or of a few labels, those in ``arrays`` included."""
    if "range" in body:
        return _range(body)
    plain = "labels" in body and _PLAIN.issuperset(map(type, body["labels"]))
    if not (plain or "values" in body) or sum(array.nbytes for array in arrays) > _MOST_PLANNED:
        return None
    # A view of it is an index of its own, but for what nobody can change.
    view: Callable[[], Any] = _restore_index(load("pandas"), deepcopy(body), Budget(0)).view
    return view


def _restore_frame(pandas: Any, body: Any, budget: Budget) -> Any:
    index = _restore_rows(pandas, body["index"], budget)
    columns = _restore_index(pandas, body["columns"], budget)
    budget.take("its columns", _COLUMN_BYTES * len(columns))
    if "blocks" in body:
        frame = read_blocks(body, index, columns, budget)
    elif "block" in body:
        frame = read_block(body["block"], index, columns)
    else:
        arrays = {i: read_values(values, budget) for i, values in enumerate(body["arrays"])}
        for values in arrays.values():
            check_rows(values, index)
        frame = pandas.DataFrame(arrays, index, copy=False)
        frame.columns = columns
    frame.attrs.update(body["attributes"])
    return frame


def _restore_rows(pandas: Any, body: Any, budget: Budget) -> Any:
    """Return an index of rows, which may claim some that have no memory."""
    index = _restore_index(pandas, body, budget)
    budget.count("rows", len(index))
    return index


def _restore_index(pandas: Any, body: Any, budget: Budget) -> Any:
    if "range" in body:
        name = body["name"]
        if name is None or type(name) is str:
            # The constructor takes three times as many steps to find the same.
            return pandas.RangeIndex.from_range(range(*body["range"]), name)
        return pandas.RangeIndex(*body["range"], name=name)
    if "levels" in body:
        levels = [_restore_index(pandas, level, budget) for level in body["levels"]]
        budget.take("its index", sum(_LABEL_BYTES * len(level) for level in levels))
        codes = [array_of(level, 1) for level in body["codes"]]
        return pandas.MultiIndex(levels, codes, names=body["names"])
    if "labels" in body:
        labels = list(body["labels"])
        check_labels(labels)
        return pandas.Index(labels, dtype=object, name=body["name"], tupleize_cols=False)
    index = pandas.Index(read_values(body["values"], budget), name=body["name"], copy=False)
    if body["freq"] is not None and hasattr(index, "freq") and index.freq is None:
        index.freq = body["freq"]
    return index
