# SPDX-License-Identifier: Apache-2.0
"""The answer of ``wirecost cost``: what a system costs, and everything behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from wirecost.results.records.cost import SystemCost
from wirecost.results.report.cost.answer import (
    ROWS,
    STEPS,
    doubts,
    qos_hints,
    sentence,
    step,
    table,
    tables,
    what_if_answer,
)
from wirecost.results.report.cost.inside import inside_answer
from wirecost.results.report.cost.live import unlistened_answer
from wirecost.results.report.cost.payers import payers_answer, payers_tables
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure


def cost_answer(cost: SystemCost, again: str = "", *, what_if: bool = False) -> Answer:
    """Return what a system costs, or one of its topics, or what changes would save.

    ``again``: the command that gave it.
    """
    if cost.inside is not None:
        first = inside_answer(cost)
    elif what_if:
        first = what_if_answer(cost)
    elif cost.ends:
        first = payers_answer(cost)
    elif not cost.is_listened:
        first = unlistened_answer(cost)
    else:
        steps = [step(remedy, cost) for remedy in cost.worth[:STEPS]]
        first = Answer(sentence(cost), table(cost), steps, qos_hints(cost)[:1], least_rows=ROWS)
    what = "All" if cost.inside is not None else "All topics"
    return replace(
        first,
        doubts=doubts(cost),
        more=f"{what}: {again} --all" if again else "",
        warnings=cost.warnings,
        sections=first.sections or [Section([*payers_tables(cost), *tables(cost)])],
        heading=f"What {shell_line(*cost.files)} costs",
        figures=lambda on_paper: _figures(cost, on_paper),
        document=msgspec.to_builtins(cost),
    )


def _figures(cost: SystemCost, on_paper: bool) -> list[Figure]:
    from wirecost.results.report.cost.figures import cost_figures  # noqa: PLC0415 - a second to import

    return cost_figures(cost, on_paper)
