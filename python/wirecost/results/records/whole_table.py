# SPDX-License-Identifier: Apache-2.0
"""Tables that are written whole, or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from wirecost.system.whole_file import replaced

PROBE = bytes(1 << 16)


def write_table(path: Path, table: pl.DataFrame) -> None:
    """As Parquet. Raises OSError."""
    with replaced_by_polars(path) as made:
        table.write_parquet(made)


@contextmanager
def replaced_by_polars(path: Path) -> Iterator[Path]:
    """``replaced``; the system's errors are OSError, whatever Polars makes of them."""
    with replaced(path) as made:
        try:
            yield made
        except pl.exceptions.PolarsError as error:
            found = re.search(r"(?:os error|Errno) (\d+)", str(error))
            if found is None:
                _write_more(made)
                raise
            raise OSError(int(found[1]), os.strerror(int(found[1])), str(path)) from error


def _write_more(path: Path) -> None:
    """Raises the system's error where no more can be written, which Polars does not always say."""
    with path.open("ab") as file:
        file.write(PROBE)
