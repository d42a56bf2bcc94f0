# SPDX-License-Identifier: Apache-2.0
"""Runs of two message types, such as an old and a new schema, under the same names of cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from wirecost.analysis.compare.runs import Run

SCENARIO, TYPE, CASE, RUNS = "message", "type", "case", "runs"
ANY = "message"
"""Takes the type's place in the names of cases."""


def are_other_messages(a: Run, b: Run) -> bool:
    """Runs of ``bench message`` name their cases by the type. If the two types differ, their rows
    are still the same contenders and stages, each with the message of its own run."""
    is_message = a.scenario == b.scenario == SCENARIO
    return is_message and a.meta.get(TYPE) != b.meta.get(TYPE)


def aligned(a: Run, b: Run) -> tuple[Run, Run]:
    """Such runs, with a note."""
    note = (
        f"A measured {a.meta[TYPE]}, B {b.meta[TYPE]}: rows of the same contender and stage are "
        "compared, so differences are those of the two messages"
    )
    return replace(_renamed(a), notes=[*a.notes, note]), _renamed(b)


def _renamed(run: Run) -> Run:
    own = str(run.meta[TYPE])

    def new(case: str) -> str:
        return ANY + case.removeprefix(own) if case.startswith(own) else case

    runs: list[dict[str, Any]] = [one | {CASE: new(one[CASE])} for one in run.meta[RUNS]]
    names = {case: new(case) for case in run.samples[CASE].unique()}
    samples = run.samples.with_columns(pl.col(CASE).replace(names))
    return replace(run, meta=run.meta | {RUNS: runs}, samples=samples)
