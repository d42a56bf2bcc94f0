# SPDX-License-Identifier: Apache-2.0
"""A revision in a campaign's store as one side of a comparison."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from wirecost.results.analysis.campaign.subjects import described
from wirecost.results.analysis.compare.runs import ORDER, PROCESS, TIME, ComparedRun
from wirecost.results.records import json_document
from wirecost.results.records.reading import AGAIN
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas import SCENARIOS

PLACES = ["campaign", "scenario", "host", "task", "round"]
"""Columns of a store that name no row."""
OF_THE_HARNESS = ("lateness",)


def runs_of(
    named: str, records: pl.DataFrame, samples: pl.LazyFrame, revision: str
) -> dict[tuple[str, str], ComparedRun]:
    """Return runs by scenario and machine, all repetitions together. ``options`` is one more column
    that names rows. ``process`` numbers those of all repetitions."""
    tasks = described(records.filter(revision=revision))
    made = {}
    for (scenario, host), part in tasks.group_by("scenario", "host", maintain_order=True):
        own = part.select("task", "options", round=pl.col("repetition"))
        found = (
            samples.filter(pl.col("scenario") == str(scenario))
            .join(own.lazy(), on="task")
            .filter(~pl.col("stage").is_in(OF_THE_HARNESS))
            .collect()
        )
        path = Path(f"{named}/{revision or 'no revision'}/{scenario}/{host}")
        text = str(part.sort("created")["meta"][-1])
        meta = json_document.decode(path, text.encode(), SCENARIOS[str(scenario)].meta, AGAIN)
        made[str(scenario), str(host)] = ComparedRun(path, str(scenario), meta, _in_order(found))
    return made


def _in_order(found: pl.DataFrame) -> pl.DataFrame:
    if PROCESS not in found.columns:
        found = found.with_columns(pl.lit(0, pl.Int64).alias(PROCESS))
    order = ["round", PROCESS]
    numbers = found.select(order).unique().sort(order, nulls_last=True).with_row_index("number")
    found = (
        found.join(numbers, on=order, nulls_equal=True)
        .with_columns(pl.col("number").cast(pl.Int64).alias(PROCESS))
        .drop("number", *(name for name in PLACES if name in found.columns))
    )
    # Other scenarios' columns of the same store.
    empty = [
        name for name in found.columns if name != TIME and found[name].null_count() == len(found)
    ]
    found = with_all_columns(found.drop(empty))
    return found.sort([name for name in ORDER if name in found.columns], maintain_order=True)
