# SPDX-License-Identifier: Apache-2.0
"""Polars: frames, series and lazy frames, as Arrow tables."""

from __future__ import annotations

from typing import Any

from wirecost.errors import UserError
from wirecost.tensor.packages import load
from wirecost.tensor.writer import Handler, Writer

_REMEDY = "send frame.to_dict(as_series=False)"


def encoder(cls: type) -> Handler | None:
    """Needs PyArrow, which sees the same memory."""
    if cls.__name__ == "LazyFrame":
        raise UserError("polars: a lazy frame has no data; send frame.collect()")
    return {"DataFrame": _frame, "Series": _series}.get(cls.__name__)


def _frame(writer: Writer, frame: Any) -> Any:
    load("pyarrow", _REMEDY)
    body = {"table": _table(frame.to_arrow(compat_level=_newest()), writer)}
    return writer.extension(2, ["polars", "frame", body])


def _series(writer: Writer, series: Any) -> Any:
    load("pyarrow", _REMEDY)
    # As a table, for Polars' types of text are told by a column's metadata.
    table = series.to_frame().to_arrow(compat_level=_newest())
    return writer.extension(2, ["polars", "series", {"table": _table(table, writer)}])


def _newest() -> Any:
    # An older form would copy every string.
    return load("polars").CompatLevel.newest()


def _table(table: Any, writer: Writer) -> Any:
    from wirecost.tensor.frameworks.pyarrow import describe  # noqa: PLC0415  optional

    return describe("table", table, writer)


def restore(kind: str, body: Any) -> Any:
    """Columns are views where Polars takes Arrow's memory as it is."""
    from wirecost.tensor.frameworks.pyarrow import restore as arrow  # noqa: PLC0415  optional

    polars = load("polars", 'decode with as_="pyarrow"')
    if kind not in {"frame", "series"}:
        raise ValueError(kind)
    table = arrow("table", body["table"])
    try:
        frame = polars.DataFrame(table)
    except polars.exceptions.PanicException as error:
        # No kind of Exception: a table that Polars did not expect would end the program.
        raise ValueError(f"polars: {error}") from error
    return frame if kind == "frame" else frame.to_series()
