# SPDX-License-Identifier: Apache-2.0
"""Tables of one framework as those of another."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from wirecost.messaging.tensor.arrow_costs import afford
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load

_KINDS = frozenset({"frame", "table", "batch"})


def to_table(
    restore: Callable[[str, Any, Budget], Any],
    sender: str,
    kind: str,
    body: Any,
    wanted: str | None,
    budget: Budget,
) -> Any:
    """Return the object; a table as that of another framework where one was asked for."""
    if sender == "polars" and wanted in {"pandas", "pyarrow"}:
        # Polars travels as an Arrow table: the receiver needs no Polars for it.
        from wirecost.messaging.tensor.frameworks.pyarrow import restore as arrow_table  # noqa: PLC0415

        converted, sender = arrow_table("table", body["table"], budget), "pyarrow"
    else:
        converted = restore(kind, body, budget)
    if wanted is None or wanted == sender or kind not in _KINDS:
        return converted
    if sender == "pandas":
        afford_frame(converted, budget)
        return _of_pandas(converted) if wanted == "polars" else load("pyarrow").table(converted)
    table = load("pyarrow").table(converted)
    described = b"pandas" in (table.schema.metadata or {})
    afford(table.columns, wanted, budget, described)
    return _of_arrow(table) if wanted == "polars" else table.to_pandas()


def _of_pandas(frame: Any) -> Any:
    from wirecost.messaging.tensor.frameworks.polars import of_pandas  # noqa: PLC0415  optional

    return of_pandas(frame)


def _of_arrow(table: Any) -> Any:
    from wirecost.messaging.tensor.frameworks.polars import of_arrow  # noqa: PLC0415  optional

    return of_arrow(table)


_COLUMN_BYTES, _COLUMN_NANOSECONDS = 512, 1_000
_COPIES = 4
"""Copies of the attributes as text, until they are metadata."""
_LABEL_BYTES = 16
"""A label without what a text has in it."""


def afford_frame(frame: Any, budget: Budget) -> None:
    """Raise FrameError for more columns than a frame has bytes for.

    Levels of an index whose labels, written out for each row, take more are refused, too.
    """
    rows, columns = frame.shape
    if frame.attrs:
        budget.take("its attributes", _COPIES * _written(frame.attrs))
    budget.take("its table", _COLUMN_BYTES * columns, _COLUMN_NANOSECONDS * columns)
    if isinstance(frame.index, load("pandas").MultiIndex):
        for level in frame.index.levels:
            budget.take("its index", rows * (_LABEL_BYTES + _longest(level)))


def _written(attributes: Any) -> int:
    """Return characters of what PyArrow writes into a table's metadata."""
    try:
        return len(json.dumps(attributes))
    except (TypeError, ValueError, RecursionError):
        return 0  # nor can PyArrow


def _longest(level: Any) -> int:
    """Return bytes of the longest text among labels."""
    if level.dtype.kind in "biufcmM":
        return 0
    return max((4 * len(label) for label in level if isinstance(label, (str, bytes))), default=0)
