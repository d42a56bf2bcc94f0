# SPDX-License-Identifier: Apache-2.0
"""The result folder (docs/formats/result-folder.md): every sample and where it was taken."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.errors import UserError

SCHEMA = 2
"""Version of meta.json and samples.parquet; every older one stays readable."""


@dataclass(frozen=True)
class Results:
    """A result folder's content."""

    folder: Path
    meta: dict[str, Any]
    samples: pl.DataFrame


@dataclass(frozen=True)
class PendingFolder:
    """A result folder while it is filled: ``path`` becomes ``final`` once all is in it."""

    path: Path
    final: Path


@contextmanager
def new_folder(scenario: str, out: Path | None) -> Iterator[PendingFolder]:
    """A folder to fill, named at the end: an aborted run leaves nothing half-written.

    ``out`` names the folder itself; without it a dated one is made below ``results``.
    """
    name = f"{datetime.now():%Y-%m-%dT%H-%M-%S}-{scenario}"
    final = out if out is not None else Path("results") / name
    try:
        taken = (final.is_dir() and any(final.iterdir())) or final.is_file()
        if taken:
            raise UserError(f"{final}: exists and is not empty; name another folder with --out")
        partial = final.with_name(f".{final.name}.{os.getpid()}.partial")
        partial.mkdir(parents=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{final}: {reason}; name a writable --out") from error
    try:
        yield PendingFolder(partial, final)
        if final.is_dir():
            final.rmdir()
        partial.rename(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_results(folder: Path, meta: dict[str, Any], samples: pl.DataFrame) -> None:
    samples.write_parquet(folder / "samples.parquet")
    text = json.dumps({"schema": SCHEMA, **meta}, indent=2)
    (folder / "meta.json").write_text(text + "\n")


def read_results(folder: Path) -> Results:
    """Read a result folder of this or any older schema. Raises UserError."""
    path = folder / "meta.json"
    try:
        meta = json.loads(path.read_text())
        schema = meta["schema"]
    except OSError as error:
        raise UserError(f"{folder}: not a result folder ({path.name}: {error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: damaged, no schema can be read; measure again") from error
    if not isinstance(schema, int) or schema > SCHEMA:
        raise UserError(
            f"{folder}: written in schema {schema}, this wirecost reads up to {SCHEMA}; "
            "install a newer wirecost"
        )
    try:
        samples = pl.read_parquet(folder / "samples.parquet")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{folder / 'samples.parquet'}: cannot be read ({error})") from error
    return Results(folder, meta, samples)
