# SPDX-License-Identifier: Apache-2.0
"""Polars: frames, series and lazy frames, as Arrow tables."""

from __future__ import annotations

from typing import Any

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("polars",)
HAS_TABLES = True
PLUGIN_ORDER = 9
_PARTS = ("inner", "key", "value")
"""Types within a list, an array or a map."""
_REMEDY = "send frame.to_dict(as_series=False)"


def encoder(cls: type) -> Handler | None:
    """Return how a class is written; needs PyArrow, which sees the same memory."""
    if cls.__name__ == "LazyFrame":
        raise UserError("polars: a lazy frame has no data; send frame.collect()")
    return {"DataFrame": _frame, "Series": _series}.get(cls.__name__)


def _frame(writer: Writer, frame: Any) -> Any:
    return writer.extension(2, ["polars", "frame", {"table": _table(frame, writer)}])


def _series(writer: Writer, series: Any) -> Any:
    # As a table, for Polars' types of text are recognized by a column's metadata.
    body = {"table": _table(series.to_frame(), writer)}
    return writer.extension(2, ["polars", "series", body])


def _table(frame: Any, writer: Writer) -> Any:
    from wirecost.messaging.tensor.frameworks.pyarrow import describe  # noqa: PLC0415  optional

    pa, polars = load("pyarrow", _REMEDY), load("polars")
    dtypes = set(frame.dtypes)
    if polars.Object in set(map(type, dtypes)):
        raise UserError("polars: a column holds Python objects (dtype Object); give it a type")
    if "\0" in "".join(frame.columns) or any(map(_ends_early, dtypes)):
        # Polars would end the program over it.
        raise UserError("polars: the name of a column holds the character NUL; rename it")
    try:
        # By the C interface: to_arrow takes a step in Python for each column.
        batches = pa.RecordBatchReader.from_stream(frame)
    except pa.ArrowInvalid as error:
        raise UserError(f"polars: a frame cannot be sent: {error}") from error
    return describe("table", batches, writer)


def _ends_early(dtype: Any) -> bool:
    # Names of C end at NUL. What holds no other types is most of them.
    if not dtype.is_nested():
        return False
    if hasattr(dtype, "fields"):
        return any("\0" in field.name or _ends_early(field.dtype) for field in dtype.fields)
    return any(_ends_early(getattr(dtype, part)) for part in _PARTS if hasattr(dtype, part))


class _Stream:
    """A table that Polars takes by the C interface, in which a column costs no step in Python."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Restore it: columns are views where Polars takes Arrow's memory as it is."""
    from wirecost.messaging.tensor.frameworks.pyarrow import offered  # noqa: PLC0415  optional

    load("polars", 'decode with as_="pyarrow"')
    if kind not in {"frame", "series"}:
        raise ValueError(kind)
    frame = of_arrow(offered(body["table"], budget))
    return frame if kind == "frame" else frame.to_series()


def of_arrow(table: Any) -> Any:
    """Return a data frame of a table of Arrow's or a reader of batches. Raises as ``of_pandas``."""
    return of_pandas(_Stream(table))


def of_pandas(frame: Any) -> Any:
    """Raise ValueError for what Polars does not take."""
    polars = load("polars")
    try:
        return polars.DataFrame(frame)
    except polars.exceptions.PanicException as error:
        # No kind of Exception: a table that Polars did not expect would end the program.
        raise ValueError(f"polars: {error}") from error
