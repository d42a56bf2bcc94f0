# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole, or stay as they were."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl


def write_table(path: Path, table: pl.DataFrame) -> None:
    """As Parquet. Raises OSError."""
    with _replaced(path) as made:
        try:
            table.write_parquet(made)
        except pl.exceptions.PolarsError as error:
            found = re.search(r"\(os error (\d+)\)", str(error))
            number = int(found[1]) if found else errno.EIO
            raise OSError(number, os.strerror(number), str(path)) from error


def write_text(path: Path, text: str) -> None:
    """As UTF-8. Raises OSError."""
    with _replaced(path) as made:
        made.write_text(text, encoding="utf-8")


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    made = path.with_name(f".{path.name}.new")
    try:
        yield made
        made.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
