# SPDX-License-Identifier: Apache-2.0
"""The result folder (docs/formats/result-folder.md): every sample and where it was taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import polars as pl

from wirecost.results.records import json_document
from wirecost.results.records.schemas.common import Meta
from wirecost.system.whole_file import write_text
from wirecost.system.whole_table import write_table

SCHEMA = 2
"""Version of meta.json and samples.parquet; every older one stays readable."""
META, SAMPLES = "meta.json", "samples.parquet"

M = TypeVar("M", bound=Meta)


@dataclass(frozen=True)
class Results:
    """A result folder's content."""

    folder: Path
    meta: Meta
    samples: pl.DataFrame

    def meta_as(self, kind: type[M]) -> M:
        """Return ``meta``, which is of that scenario's type."""
        assert isinstance(self.meta, kind)
        return self.meta


def write_results(folder: Path, meta: Mapping[str, object], samples: pl.DataFrame) -> None:
    """Write both files, each whole or as it was. Raises OSError."""
    write_table(folder / SAMPLES, samples)
    write_text(folder / META, json_document.text({"schema": SCHEMA, **meta}) + "\n")
