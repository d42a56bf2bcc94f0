# SPDX-License-Identifier: Apache-2.0
"""Tables of one framework as those of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.tensor.arrow_costs import afford
from wirecost.tensor.budget import Budget
from wirecost.tensor.packages import load
from wirecost.tensor.pandas_costs import afford_frame

_KINDS = frozenset({"frame", "table", "batch"})


def to_table(
    restore: Callable[[str, Any, Budget], Any],
    sender: str,
    kind: str,
    body: Any,
    wanted: str | None,
    budget: Budget,
) -> Any:
    """The object, and where it is a table and another framework was asked for, that one's."""
    if sender == "polars" and wanted in {"pandas", "pyarrow"}:
        # Polars travels as an Arrow table: the receiver needs no Polars for it.
        from wirecost.tensor.frameworks.pyarrow import restore as arrow_table  # noqa: PLC0415

        made, sender = arrow_table("table", body["table"], budget), "pyarrow"
    else:
        made = restore(kind, body, budget)
    if wanted is None or wanted == sender or kind not in _KINDS:
        return made
    if sender == "pandas":
        afford_frame(made, budget)
        return _of_pandas(made) if wanted == "polars" else load("pyarrow").table(made)
    table = load("pyarrow").table(made)
    described = b"pandas" in (table.schema.metadata or {})
    afford(table.columns, wanted, budget, described)
    return _of_arrow(table) if wanted == "polars" else table.to_pandas()


def _of_pandas(frame: Any) -> Any:
    from wirecost.tensor.frameworks.polars import of_pandas  # noqa: PLC0415  optional

    return of_pandas(frame)


def _of_arrow(table: Any) -> Any:
    from wirecost.tensor.frameworks.polars import of_arrow  # noqa: PLC0415  optional

    return of_arrow(table)
