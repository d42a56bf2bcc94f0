# SPDX-License-Identifier: Apache-2.0
"""Many columns of a data frame at once: pandas' blocks of numbers, PyArrow's arrays as a table.

A body has ``blocks``: ``[[positions, array (columns, rows)], …]``, ``table``: ``[positions,
stream]`` or nil, and ``arrays``: ``[[position, values], …]`` for all other columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.dtypes import describe
from wirecost.messaging.tensor.memory import Pieces, bytes_of
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.pandas_arrays import array_of, check_rows, read_values, write_values
from wirecost.messaging.tensor.writer import Writer

_NUMBERS = frozenset("biufc")
_MOST_PLANNED = 1024
"""Columns, for each of which pandas keeps a position."""


def only_block(frame: Any) -> Any:
    """Return the memory of a frame in one block of numbers, (rows, columns); None for others."""
    blocks = _blocks(frame)
    if blocks is None or len(blocks) != 1:
        return None
    values, places = blocks[0].values, blocks[0].mgr_locs
    if type(values) is not np.ndarray or values.dtype.kind not in _NUMBERS:
        return None
    straight = places.is_slice_like and places.as_slice == slice(0, len(values), 1)
    return values.T if straight else None


def write_blocks(frame: Any, writer: Writer) -> dict[str, Any] | None:
    """Return None where this version of pandas does not give access to its blocks."""
    blocks = _blocks(frame)
    if blocks is None:
        return None
    pandas = load("pandas")
    body: dict[str, Any] = {"blocks": [], "table": None, "arrays": []}
    arrow: dict[int, Any] = {}
    numbers: dict[Any, list[Any]] = {}
    for block in blocks:
        values, places = block.values, block.mgr_locs.as_array.tolist()
        if type(values) is np.ndarray and values.dtype.kind in _NUMBERS:
            numbers.setdefault(values.dtype, []).append((places, values))
        elif isinstance(values.dtype, pandas.ArrowDtype):
            arrow[places[0]] = values.__arrow_array__()
        else:
            for place in places:
                name, column = frame.columns[place], frame.iloc[:, place].array
                written = write_values(column, f"column {name!r}", writer)
                body["arrays"].append([place, written])
    for dtype, columns_of_type in numbers.items():
        body["blocks"] += _joined(dtype, columns_of_type)
    if arrow:
        from wirecost.messaging.tensor.arrow_stream import write_stream  # noqa: PLC0415  optional

        table = load("pyarrow").Table.from_arrays(list(arrow.values()), [""] * len(arrow))
        body["table"] = [list(arrow), write_stream(table, writer)]
    return body


def _joined(dtype: Any, blocks: list[Any]) -> list[Any]:
    """Return blocks of one type, as ``[positions, array]``.

    Those without gaps are one at the receiver, as they would be after ``frame.copy()``.
    """
    if not dtype.isnative:
        return [list(block) for block in blocks]
    whole: list[Any] = []
    rest: list[Any] = []
    for block in blocks:
        (whole if block[1].flags.c_contiguous and block[1].size else rest).append(block)
    if len(whole) < 2:
        return [list(block) for block in blocks]
    places = [place for block_places, _ in whole for place in block_places]
    memory = [bytes_of(values) for _, values in whole]
    joined = Pieces(memory, describe(dtype), (len(places), whole[0][1].shape[1]))
    return [[places, joined], *map(list, rest)]


def read_blocks(body: Any, index: Any, columns: Any, budget: Budget) -> Any:
    """Return the data frame, over the received memory. Raises ValueError where parts do not fit."""
    pandas = load("pandas")
    blocks = [(array_of(values, 2), list(places)) for places, values in body["blocks"]]
    single = {place: read_values(values, budget) for place, values in body["arrays"]}
    if body["table"] is not None:
        from wirecost.messaging.tensor.arrow_stream import read_table  # noqa: PLC0415  optional

        places, stream = body["table"]
        table = read_table(stream, budget)
        check_rows(table, index)
        wrapped = map(pandas.arrays.ArrowExtensionArray, table.columns)
        extended = dict(zip(places, wrapped, strict=True))
    else:
        extended = {}
    every = [place for _, places in blocks for place in places] + [*single, *extended]
    whole = len(every) == len(columns) and all(type(place) is int for place in every)
    if len(single) != len(body["arrays"]) or not whole or sorted(every) != list(range(len(every))):
        raise ValueError("columns that are there twice or not at all")
    for values, places in blocks:
        if values.shape != (len(places), len(index)) or values.dtype.kind not in _NUMBERS:
            raise ValueError(f"a block of {values.dtype} and shape {values.shape}")
    for values in single.values():
        check_rows(values, index)
    create = _creator(pandas)
    if create is not None and not single:
        parts = [(values, np.array(places, np.intp)) for values, places in blocks]
        each = np.arange(len(every))
        parts += [(values, each[place : place + 1]) for place, values in extended.items()]
        return create(parts, index, columns)
    arrays = single | extended
    for values, places in blocks:
        arrays.update(zip(places, values, strict=True))
    frame = pandas.DataFrame({i: arrays[i] for i in range(len(columns))}, index, copy=False)
    frame.columns = columns
    return frame


def read_block(values: Any, index: Any, columns: Any) -> Any:
    """Return the data frame over numbers, (rows, columns)."""
    pandas = load("pandas")
    array = array_of(values, 2)
    create = _creator(pandas)
    if create is None or array.dtype.kind not in _NUMBERS:
        # pandas repeats a single value for as many rows as an index claims.
        return pandas.DataFrame(array, index, columns, copy=False)
    if array.shape != (len(index), len(columns)):
        raise ValueError(f"a block of shape {array.shape}")
    return create([(array.T, np.arange(len(columns)))], index, columns)


def arrays_in(value: Any) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays of a body in their order."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from arrays_in(inner)


def plan_block(
    like: npt.NDArray[Any], index: Callable[[], Any], columns: Callable[[], Any]
) -> Callable[[npt.NDArray[Any]], Any] | None:
    """Return what makes data frames over arrays ``like`` one that ``read_block`` took."""
    create, width = _creator(load("pandas")), like.shape[1]
    if create is None or like.dtype.kind not in _NUMBERS or not like.size or width > _MOST_PLANNED:
        return None
    # pandas makes a slice of an array of positions, which takes longer than all else.
    places = slice(0, width, 1)
    return lambda array: create([(array.T, places)], index(), columns())


def _creator(pandas: Any) -> Any:
    """Return what takes a third of the constructor's time; None before pandas 3."""
    internals = getattr(pandas.api, "internals", None)
    return getattr(internals, "create_dataframe_from_blocks", None)


def _blocks(frame: Any) -> Any:
    # Not public; what pandas offers instead takes some 20 µs a column.
    return getattr(getattr(frame, "_mgr", None), "blocks", None)
