# SPDX-License-Identifier: Apache-2.0
"""Runs of two message types, such as an old and a new schema, under the same names of cases."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from msgspec import structs

from wirecost.results.analysis.compare.runs import ComparedRun
from wirecost.results.records.schemas.message import TAKEN_OUT, MessageMeta

ANY = "message"
"""Takes the type's place in the names of cases."""
"""Part of the description of messages that are from no recording."""


def are_other_messages(a: ComparedRun, b: ComparedRun) -> bool:
    """Return whether two runs of ``bench message`` are of two messages, such as two schemas.

    They are of two types, which name their cases, or none of their whole messages is the same.
    Their rows are still the same contenders and stages, each with its own run's message.
    """
    if not all(isinstance(meta, MessageMeta) for meta in (a.meta, b.meta)):
        return False
    return _type(a) != _type(b) or not _digests(a) & _digests(b)


def _digests(run: ComparedRun) -> set[str]:
    assert isinstance(run.meta, MessageMeta)
    return {
        contender.message_digest
        for contender in run.meta.runs
        if not contender.failure and contender.variant != TAKEN_OUT
    }


def aligned(a: ComparedRun, b: ComparedRun) -> tuple[ComparedRun, ComparedRun]:
    """Return such runs with the same names of cases."""
    return _renamed(a), _renamed(b)


def difference(a: ComparedRun, b: ComparedRun) -> str:
    """Say in what two runs of other messages differ, without a full stop."""
    types = dict.fromkeys((_type(a), _type(b)))
    if len(types) > 1:
        return f"Two messages: {' and '.join(types)}"
    if _fields(a) == _fields(b):
        return f"Two contents of {_type(a)}"
    values = ": synthetic values differ, too" if _is_synthetic(a) and _is_synthetic(b) else ""
    return f"Two schemas of {_type(a)}{values}"


def _renamed(run: ComparedRun) -> ComparedRun:
    own = _type(run)

    def new(case: str) -> str:
        return ANY + case.removeprefix(own) if case.startswith(own) else case

    runs = [structs.replace(contender, case=new(contender.case)) for contender in run.meta.runs]
    names = {case: new(case) for case in run.samples["case"].unique()}
    samples = run.samples.with_columns(pl.col("case").replace(names))
    return replace(run, meta=structs.replace(run.meta, runs=runs), samples=samples)


def _fields(run: ComparedRun) -> set[str]:
    assert isinstance(run.meta, MessageMeta)
    return {part.path for part in run.meta.fields}


def _is_synthetic(run: ComparedRun) -> bool:
    assert isinstance(run.meta, MessageMeta)
    return run.meta.is_synthetic


def _type(run: ComparedRun) -> str:
    assert isinstance(run.meta, MessageMeta)
    return run.meta.type
