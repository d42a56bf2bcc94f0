# SPDX-License-Identifier: Apache-2.0
"""Runs of two message types, such as an old and a new schema, under the same names of cases."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from msgspec import structs

from wirecost.results.analysis.compare.runs import Run
from wirecost.results.records.schemas.message import Meta

ANY = "message"
"""Takes the type's place in the names of cases."""


def are_other_messages(a: Run, b: Run) -> bool:
    """Return whether runs of ``bench message``, which name their cases by the type, are of two
    types. Their rows are still the same contenders and stages, each with its own run's message."""
    metas = a.meta, b.meta
    return all(isinstance(meta, Meta) for meta in metas) and _type(a) != _type(b)


def aligned(a: Run, b: Run) -> tuple[Run, Run]:
    """Return such runs with the same names of cases, and with a note."""
    note = (
        f"A measured {_type(a)}, B {_type(b)}: rows of the same contender and stage are "
        "compared, so differences are those of the two messages"
    )
    return replace(_renamed(a), notes=[*a.notes, note]), _renamed(b)


def _renamed(run: Run) -> Run:
    own = _type(run)

    def new(case: str) -> str:
        return ANY + case.removeprefix(own) if case.startswith(own) else case

    runs = [structs.replace(one, case=new(one.case)) for one in run.meta.runs]
    names = {case: new(case) for case in run.samples["case"].unique()}
    samples = run.samples.with_columns(pl.col("case").replace(names))
    return replace(run, meta=structs.replace(run.meta, runs=runs), samples=samples)


def _type(run: Run) -> str:
    assert isinstance(run.meta, Meta)
    return run.meta.type
