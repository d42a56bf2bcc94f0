# SPDX-License-Identifier: Apache-2.0
"""Tables of one framework as those of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirecost.tensor.packages import load

_KINDS = frozenset({"frame", "table", "batch"})


def to_table(
    restore: Callable[[str, Any], Any], sender: str, kind: str, body: Any, wanted: str | None
) -> Any:
    """The object, and where it is a table and another framework was asked for, that one's."""
    if sender == "polars" and wanted in {"pandas", "pyarrow"}:
        # Polars travels as an Arrow table: the receiver needs no Polars for it.
        from wirecost.tensor.frameworks.pyarrow import restore as arrow_table  # noqa: PLC0415

        made, sender = arrow_table("table", body["table"]), "pyarrow"
    else:
        made = restore(kind, body)
    if wanted is None or wanted == sender or kind not in _KINDS:
        return made
    if wanted == "polars":
        polars = load("polars")
        try:
            return polars.DataFrame(made)
        except polars.exceptions.PanicException as error:
            raise ValueError(f"polars: {error}") from error
    table = load("pyarrow").table(made)
    return table if wanted == "pyarrow" else table.to_pandas()
