# SPDX-License-Identifier: Apache-2.0
"""Runs of two message types, such as an old and a new schema, under the same names of cases."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from msgspec import structs

from wirecost.results.analysis.compare.runs import ComparedRun
from wirecost.results.records.schemas.message import MessageMeta

ANY = "message"
"""Takes the type's place in the names of cases."""


def are_other_messages(a: ComparedRun, b: ComparedRun) -> bool:
    """Return whether two runs of ``bench message`` are of two messages, such as two schemas.

    They are of two types, which name their cases, or none of their contents is the same. Their rows
    are still the same contenders and stages, each with its own run's message.
    """
    if not all(isinstance(meta, MessageMeta) for meta in (a.meta, b.meta)):
        return False
    return _type(a) != _type(b) or not _digests(a) & _digests(b)


def _digests(run: ComparedRun) -> set[str]:
    assert isinstance(run.meta, MessageMeta)
    return {contender.message_digest for contender in run.meta.runs if not contender.failure}


def aligned(a: ComparedRun, b: ComparedRun) -> tuple[ComparedRun, ComparedRun]:
    """Return such runs with the same names of cases, and with a note."""
    which = " and ".join(dict.fromkeys((_type(a), _type(b))))
    note = f"different messages ({which}): drift is not taken off; measure A again, for --again"
    return replace(_renamed(a), notes=[*a.notes, note]), _renamed(b)


def _renamed(run: ComparedRun) -> ComparedRun:
    own = _type(run)

    def new(case: str) -> str:
        return ANY + case.removeprefix(own) if case.startswith(own) else case

    runs = [structs.replace(contender, case=new(contender.case)) for contender in run.meta.runs]
    names = {case: new(case) for case in run.samples["case"].unique()}
    samples = run.samples.with_columns(pl.col("case").replace(names))
    return replace(run, meta=structs.replace(run.meta, runs=runs), samples=samples)


def _type(run: ComparedRun) -> str:
    assert isinstance(run.meta, MessageMeta)
    return run.meta.type
