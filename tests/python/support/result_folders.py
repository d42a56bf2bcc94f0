# SPDX-License-Identifier: Apache-2.0
"""The result folders in tests/data/results, copied to where a test may damage them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import polars as pl

from wirecost.results.records.schemas.common import Meta

M = TypeVar("M", bound=Meta)
DATA = Path(__file__).parents[2] / "data" / "results"
NAMES = sorted(path.name for path in DATA.iterdir() if (path / "meta.json").exists())


def copied(name: str, to: Path) -> Path:
    """Copy a folder by that name to ``to``."""
    shutil.copytree(DATA / name, to)
    return to


def meta_with(meta: M, **changes: Any) -> M:
    """Return the content of a ``meta.json`` with other values, given as JSON has them."""
    return msgspec.convert(msgspec.to_builtins(meta) | changes, type(meta))


def edit_meta(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "meta.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def edit_samples(
    folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame], file: str = "samples.parquet"
) -> None:
    change(pl.read_parquet(folder / file)).write_parquet(folder / file)
