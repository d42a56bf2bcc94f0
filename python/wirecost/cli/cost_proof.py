# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost --prove``: one advice applied to stand-ins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.cli.console import progress
from wirecost.results.report.shared.answer import Answer
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.recordings.survey import RecordingSurvey
    from wirecost.measure.cost.pricing import Pricing
    from wirecost.results.records.cost import SystemCost


def with_options(cost: SystemCost, words: Sequence[str]) -> SystemCost:
    """Return the same whose commands, too, have the options of this one."""
    import msgspec

    remedies = [
        msgspec.structs.replace(remedy, command=f"{remedy.command} {shell_line(*words)}")
        if remedy.command and words
        else remedy
        for remedy in cost.remedies
    ]
    return msgspec.structs.replace(cost, remedies=remedies)


def proved(
    cost: SystemCost, read: RecordingSurvey, pricing: Pricing, number: int, python: Path | None
) -> Answer:
    """Return what the advice of a number promised, and what it gained. Raises UserError."""
    from wirecost.data.messages.ros import installed
    from wirecost.measure.cost.proving import proof
    from wirecost.results.report.cost.proof_answer import proof_answer
    from wirecost.system import scratch

    installed.check(python)
    with scratch.run(), progress() as advance:
        gained = proof(
            cost, read, pricing, number, python,
            lambda done, total: advance(done, total, "publishing and taking, before and after"),
        )  # fmt: skip
    return proof_answer(gained)
