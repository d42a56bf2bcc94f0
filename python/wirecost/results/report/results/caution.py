# SPDX-License-Identifier: Apache-2.0
"""Warnings before a run's times are read: load, and what was not measured."""

from __future__ import annotations

from wirecost.results.records.schemas.common import Meta, Run

FAIL = "fail"


def caution(meta: Meta) -> str | None:
    """Return a warning if the doctor found the machine too busy when the run started."""
    load = str(meta.doctor.get("load", ""))
    if not load.startswith(FAIL):
        return None
    amount = load.removeprefix(FAIL).strip(" ()")
    return f"The load was {amount} at the start: trust the order, not the times."


def not_measured(meta: Meta) -> list[str]:
    """Return one line for each contender that failed or is not there, with the reason."""
    lines = [f"{_who(run)}: {run.failure}" for run in meta.runs if run.failure]
    return lines + [f"{name}: {why}" for name, why in meta.not_run.items()]


def _who(run: Run) -> str:
    name = " ".join(filter(None, (run.lang, run.contender, run.mode)))
    where = run.case if run.case.startswith(run.variant) else f"{run.case}, {run.variant}"
    return f"{name} ({where}, {run.build})"
