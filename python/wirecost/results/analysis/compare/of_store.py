# SPDX-License-Identifier: Apache-2.0
"""A revision in a campaign's store as one side of a comparison."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from wirecost.results.analysis.campaign.subjects import described
from wirecost.results.analysis.compare.runs import ORDER, PROCESS, TIME, ComparedRun
from wirecost.results.records import json_document
from wirecost.results.records.reading import AGAIN, PLAIN
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas import SCENARIOS

PLACES = ["campaign", "scenario", "host", "task", "round"]
"""Columns of a store that name no row."""
OF_THE_HARNESS = ("lateness",)


def runs_of(
    store: str, records: pl.DataFrame, samples: pl.LazyFrame, revision: str
) -> dict[tuple[str, str], ComparedRun]:
    """Return runs by scenario and machine, all repetitions together.

    ``options`` is one more column that names rows. ``process`` numbers those of all repetitions.
    """
    tasks = described(records.filter(revision=revision))
    runs = {}
    for (scenario, host), part in tasks.group_by("scenario", "host", maintain_order=True):
        repetitions = part.select("task", "options", round=pl.col("repetition"))
        measured = (
            samples.filter(pl.col("scenario") == str(scenario))
            .join(repetitions.lazy(), on="task")
            .filter(~pl.col("stage").is_in(OF_THE_HARNESS))
            .collect()
        )
        path = Path(f"{store}/{revision or 'no revision'}/{scenario}/{host}")
        text = str(part.sort("created")["meta"][-1])
        kind = SCENARIOS.get(str(scenario), PLAIN).meta
        meta = json_document.decode(path, text.encode(), kind, AGAIN)
        runs[str(scenario), str(host)] = ComparedRun(path, str(scenario), meta, _in_order(measured))
    return runs


def _in_order(samples: pl.DataFrame) -> pl.DataFrame:
    if PROCESS not in samples.columns:
        samples = samples.with_columns(pl.lit(0, pl.Int64).alias(PROCESS))
    order = ["round", PROCESS]
    numbers = samples.select(order).unique().sort(order, nulls_last=True).with_row_index("number")
    samples = (
        samples.join(numbers, on=order, nulls_equal=True)
        .with_columns(pl.col("number").cast(pl.Int64).alias(PROCESS))
        .drop("number", *(name for name in PLACES if name in samples.columns))
    )
    # Other scenarios' columns of the same store.
    empty = [
        name
        for name in samples.columns
        if name != TIME and samples[name].null_count() == len(samples)
    ]
    samples = with_all_columns(samples.drop(empty))
    return samples.sort([name for name in ORDER if name in samples.columns], maintain_order=True)
