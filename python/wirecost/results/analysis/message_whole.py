# SPDX-License-Identifier: Apache-2.0
"""Whole messages of a run, also those of contenders that were compiled and measured last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.message import ALL, LATER


def whole_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of whole messages as those of one race.

    The library in use was measured again with what was compiled last; its first rows count. Ratios
    are those of each row's own race.
    """
    of_all = [row for row in rows if row.variant in (ALL, LATER)]
    first = {(row.lang, row.name) for row in of_all if row.variant == ALL}
    return [
        replace(row, variant=ALL)
        for row in of_all
        if row.variant == ALL or (row.lang, row.name) not in first
    ]


def whole_samples(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.filter(pl.col("variant").is_in([ALL, LATER]))
