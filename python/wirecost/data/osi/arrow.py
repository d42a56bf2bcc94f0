# SPDX-License-Identifier: Apache-2.0
"""Columns as Arrow tables and Polars frames, over the same memory where the layouts are the same.

Numbers in the form plain are not copied; presence becomes validity, messages structs, enums their
numbers as int32. What is reduced is first made into values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from wirecost_osi._columns import Columns, Group, RepeatedGroup

MOST_VALUES = 1 << 26
"""Values that are made in memory by default: constants and runs need few bytes for
many."""


def to_arrow(columns: Columns[Any], limit: int = MOST_VALUES) -> pa.Table:
    """Return a table with one row per element.

    ``table.flatten()`` gives structs' fields dotted names. Arrays stay valid as long as the table.
    ``limit``: the largest number of values that is made in memory. Raises UserError without
    pyarrow, beyond the limit, and on strings that are not UTF-8.
    """
    return _Arrow(limit).table(columns)


def to_polars(columns: Columns[Any], limit: int = MOST_VALUES) -> pl.DataFrame:
    """Return a data frame with one row per element. Raises UserError.

    Polars takes numbers where they lie and copies texts and lists' offsets.
    """
    import polars as pl  # noqa: PLC0415  slow to import

    frame = pl.from_arrow(to_arrow(columns, limit))
    if not isinstance(frame, pl.DataFrame):
        raise AssertionError(frame)
    return frame


class _Arrow:
    """``limit``: values that may still be made."""

    def __init__(self, limit: int) -> None:
        try:
            import pyarrow  # noqa: PLC0415  optional
        except ImportError as error:
            raise UserError("pyarrow: not installed; pip install pyarrow") from error
        self._pa: Any = pyarrow
        self._limit = self._left = limit

    def table(self, columns: Columns[Any]) -> pa.Table:
        names, arrays = self._fields(columns)
        if not names:
            # A table cannot have rows without columns; a struct without fields can.
            empty = self._pa.StructArray.from_buffers(self._pa.struct([]), len(columns), [None])
            batch = self._pa.RecordBatch.from_struct_array(empty)
        else:
            batch = self._pa.RecordBatch.from_arrays(arrays, names)
        try:
            batch.validate()
            return self._pa.Table.from_batches([batch])
        except self._pa.ArrowInvalid as error:
            raise UserError(f"the columns cannot become an Arrow table: {error}") from error

    def _fields(self, group: Group) -> tuple[list[str], list[Any]]:
        names = [name for name, _ in group.children()]
        return names, [self._array(child) for _, child in group.children()]

    def _array(self, child: Any) -> Any:
        if not hasattr(child, "node"):
            return self._message(child)
        node = child.node
        if node.wraps:
            return self._lists(child.offsets, self._texts(child.texts))
        if node.is_text:
            return self._texts(child)
        if node.repeated:
            values = self._numbers(child, int(child.offsets[-1]), None)
            return self._lists(child.offsets, values)
        return self._numbers(child, len(child), self._validity(child.present))

    def _message(self, group: Group | RepeatedGroup) -> Any:
        names, arrays = self._fields(group)
        kind = self._pa.struct(
            [(name, array.type) for name, array in zip(names, arrays, strict=True)]
        )
        offsets = getattr(group, "offsets", None)
        validity = None if offsets is not None else self._validity(group.present)
        structs = self._pa.StructArray.from_buffers(kind, len(group), [validity], children=arrays)
        return structs if offsets is None else self._lists(offsets, structs)

    def _lists(self, offsets: npt.NDArray[np.uint32], values: Any) -> Any:
        if not offsets.strides[0]:  # of a list that is empty everywhere
            self._spend(len(offsets))
        # Offsets are below 2³¹, so that signed ones have the same bits.
        kind = self._pa.list_(values.type)
        buffers = [None, self._buffer(offsets.view(np.int32))]
        return self._pa.ListArray.from_buffers(kind, len(offsets) - 1, buffers, children=[values])

    def _texts(self, column: Any) -> Any:
        if column.form != "plain":
            self._spend(len(column))
        is_string = column.node.kind == "string"
        buffers = [
            self._validity(column.present),
            self._buffer(column.offsets.view(np.int32)),
            self._pa.py_buffer(column.bytes_),
        ]
        kind = self._pa.utf8() if is_string else self._pa.binary()
        texts = self._pa.Array.from_buffers(kind, len(column), buffers)
        try:
            texts.validate(full=True)
        except self._pa.ArrowInvalid as error:
            raise UserError(f"{column.path}: has a string that is not UTF-8 ({error})") from error
        return texts

    def _numbers(self, column: Any, count: int, validity: Any) -> Any:
        if column.form != "plain":
            self._spend(count)
        values = column.values
        if column.node.kind == "bool":
            bits = np.packbits(values, bitorder="little")
            return self._pa.Array.from_buffers(
                self._pa.bool_(), count, [validity, self._pa.py_buffer(bits)]
            )
        if column.node.kind == "enum":
            values = values.astype(np.int32, copy=False)
        kind = self._pa.from_numpy_dtype(values.dtype)
        return self._pa.Array.from_buffers(kind, count, [validity, self._buffer(values)])

    def _validity(self, present: npt.NDArray[np.bool_] | None) -> Any:
        if present is None:
            return None
        return self._pa.py_buffer(np.packbits(present, bitorder="little"))

    def _buffer(self, values: npt.NDArray[Any]) -> Any:
        """Return a buffer over the array itself where it is aligned and contiguous for Arrow."""
        return self._pa.py_buffer(np.require(values, requirements=["A", "C"]))

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise UserError(
                f"the table has more than {self._limit} values that are not stored one by one; if "
                "they are wanted give a higher limit"
            )
