# SPDX-License-Identifier: Apache-2.0
"""The result folder (docs/formats/result-folder.md): every sample and where it was taken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.records import json_document
from wirecost.records.whole_table import write_table
from wirecost.whole_file import write_text

SCHEMA = 2
"""Version of meta.json and samples.parquet; every older one stays readable."""
META, SAMPLES = "meta.json", "samples.parquet"


@dataclass(frozen=True)
class Results:
    """A result folder's content."""

    folder: Path
    meta: dict[str, Any]
    samples: pl.DataFrame


def write_results(folder: Path, meta: dict[str, Any], samples: pl.DataFrame) -> None:
    """Each file is whole or as it was. Raises OSError."""
    write_table(folder / SAMPLES, samples)
    write_text(folder / META, json_document.text({"schema": SCHEMA, **meta}) + "\n")
