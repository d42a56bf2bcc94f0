# SPDX-License-Identifier: Apache-2.0
"""All cases of a folder as one: a turn of a contender is its turns of all cases."""

from __future__ import annotations

from collections import defaultdict

import msgspec
import polars as pl

from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.common import Run

WHO = ("variant", "build", "fmi", "lang", "contender", "mode")


def together(results: Results, name: str) -> list[Row]:
    """Return the rows of all cases together, with their own intervals.

    They are of the contenders that were measured in every case; ``name``: that of the whole.
    """
    runs: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in results.meta.runs:
        if run.failure is None:
            runs[tuple(getattr(run, part) for part in WHO)].append(run)
    cases = {run.case for run in results.meta.runs}
    whole = [
        msgspec.structs.replace(
            of_all[0],
            case=name,
            message_bytes=sum(getattr(run, "message_bytes", 0) or 0 for run in of_all),
        )
        for of_all in runs.values()
        if {run.case for run in of_all} == cases
    ]
    keys = [*WHO, "stage", "process", "repetition"]
    samples = (
        with_all_columns(results.samples)
        .group_by(keys, maintain_order=True)
        .agg(pl.col("ns", "bytes").sum(), cases=pl.len())
        .filter(cases=len(cases))
        .with_columns(case=pl.lit(name))
    )
    meta = msgspec.structs.replace(results.meta, runs=whole)
    return summarize(Results(results.folder, meta, samples)) if len(samples) else []
