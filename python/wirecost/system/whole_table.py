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


def write_table(path: Path, table: pl.DataFrame, metadata: dict[str, str] | None = None) -> None:
    """Write the table as Parquet, with metadata of the file. Raises OSError."""
    with replaced_by_polars(path) as file:
        table.write_parquet(file, metadata=metadata)


@contextmanager
def replaced_by_polars(path: Path) -> Iterator[Path]:
    """Yield the file that replaces ``path``; errors of the system are OSError also from Polars."""
    with replaced(path) as file:
        try:
            yield file
        except (pl.exceptions.PolarsError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            match = re.search(r"(?:os error|Errno) (\d+)", str(error))
            if match is None:
                _write_more(file)
                raise
            raise OSError(int(match[1]), os.strerror(int(match[1])), str(path)) from error


def _write_more(path: Path) -> None:
    """Raise the system's error where no more can be written, which Polars does not always say."""
    with path.open("ab") as file:
        file.write(PROBE)
