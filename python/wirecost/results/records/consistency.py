# SPDX-License-Identifier: Apache-2.0
"""Check that a folder's samples are those of its ``meta.json``, and each contender's are whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from wirecost.results.records.scenarios import RACE, with_all_columns
from wirecost.results.records.schemas import scenario_of
from wirecost.results.records.schemas.common import Meta
from wirecost.system.errors import UserError

MOST_SERIES = 50_000
"""Stages of contenders: more than the largest sweep has, few enough for a report."""
WHO = ("contender", "mode")
OF_A_SAMPLE = {"stage", "repetition", "process", "ns", "bytes"}
REMEDY = "keep a folder's files together, or measure again"


def check(path: Path, meta: Meta, samples: pl.DataFrame) -> None:
    """Raise UserError where they do not fit; ``path`` is that of the samples."""
    table = with_all_columns(samples)
    for complaint in _complaints(meta, table):
        raise UserError(f"{path}: {complaint}; {REMEDY}")


def _complaints(meta: Meta, samples: pl.DataFrame) -> Iterable[str]:
    needed = scenario_of(meta).needed
    if samples.is_empty() and needed:
        yield "holds no samples"
    keys = [*RACE, *WHO]
    repetition = pl.col("repetition")
    series = samples.group_by([*keys, "stage"], maintain_order=True).agg(
        count=pl.len(), last=repetition.max(), distinct=repetition.n_unique()
    )
    if len(series) > MOST_SERIES:
        yield f"holds {len(series):,} stages of contenders, more than {MOST_SERIES:,}"
    for row in series.iter_rows(named=True):
        # A case that was asked for twice was measured twice.
        if row["distinct"] != row["last"] + 1 or row["count"] % row["distinct"]:
            yield f"{_name(row)}: repetitions of {row['stage']} are missing or there twice"
    yield from _of_contenders(series, keys, needed)
    yield from _of_runs(meta, samples, keys)


def _of_contenders(series: pl.DataFrame, keys: list[str], needed: tuple[str, ...]) -> Iterable[str]:
    stages = series.group_by(keys, maintain_order=True).agg("stage", pl.col("count").unique())
    for row in stages.iter_rows(named=True):
        if absent := [stage for stage in needed if stage not in row["stage"]]:
            yield f"{_name(row)}: lacks the stage {absent[0]}"
        if len(row["count"]) > 1:
            yield f"{_name(row)}: has more repetitions of one stage than of another"


def _of_runs(meta: Meta, samples: pl.DataFrame, keys: list[str]) -> Iterable[str]:
    scenario = scenario_of(meta)
    runs = {tuple(getattr(run, key) for key in keys): run for run in meta.runs}
    described = [
        name
        for name in scenario.columns
        if name in samples.columns and name not in {*keys, *OF_A_SAMPLE}
        and all(hasattr(run, name) for run in meta.runs)
    ]  # fmt: skip
    series = samples.select([*keys, *described]).unique(maintain_order=True)
    if len(series) > MOST_SERIES:
        yield f"holds {len(series):,} contenders, more than {MOST_SERIES:,}"
    for row in series.iter_rows(named=True):
        run = runs.get(tuple(row[key] for key in keys))
        if run is None:
            yield f"{_name(row)}: meta.json has no run of it"
            return
        for name in described:
            value = getattr(run, name)
            if value is not None and value != row[name]:
                yield f"{_name(row)}: its {name} is {row[name]}, in meta.json {value}"
        if any(None in scenario.sent(run, stage) for stage in scenario.stages):
            yield f"{_name(row)}: meta.json has no size of its messages"


def _name(row: Mapping[str, object]) -> str:
    return " ".join(str(row[name]) for name in ("contender", "mode", "case") if row[name])[:200]
