# SPDX-License-Identifier: Apache-2.0
"""The columns that samples of all scenarios are read with."""

from __future__ import annotations

import polars as pl

RACE = ("case", "variant", "build", "fmi", "lang")
"""Columns that name one race: contenders are compared within it only."""


def with_all_columns(samples: pl.DataFrame) -> pl.DataFrame:
    """Return samples with every column that names a race or contender, and the process.

    They may be of any scenario and schema; the process is the one of the contender that took them.
    """
    defaults = {"lang": "", "mode": "", "process": 0}
    added = {
        name: pl.col(name).fill_null(value) if name in samples.columns else pl.lit(value)
        for name, value in defaults.items()
    }
    if "fmi" not in samples.columns:
        added["fmi"] = pl.lit(None, pl.Int64)
    return samples.with_columns(**added | {"process": added["process"].cast(pl.Int64)})
