# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole, or stay as they were."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl


def write_table(path: Path, table: pl.DataFrame) -> None:
    """As Parquet. Raises OSError."""
    with replaced(path) as made:
        table.write_parquet(made)


def write_text(path: Path, text: str) -> None:
    """As UTF-8. Raises OSError."""
    with replaced(path) as made:
        made.write_text(text, encoding="utf-8")


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A file beside it to write, which takes its name where the context ends well. Raises OSError
    with its name, whatever Polars makes of that."""
    made = path.with_name(f".{path.name}.new")
    try:
        yield made
        made.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    except pl.exceptions.PolarsError as error:
        found = re.search(r"(?:os error|Errno) (\d+)", str(error))
        if found is None:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1])), str(path)) from error
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
