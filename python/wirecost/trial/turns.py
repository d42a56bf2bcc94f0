# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is: each remedy and the program as it is, one process a round."""

from __future__ import annotations

import random
from collections.abc import Iterable

from wirecost.errors import UserError
from wirecost.trial.remedy import Change, Remedy

SEED = 997
Turn = tuple[Remedy | None, Change, int]
"""A remedy, or None for the program as it is, with its change and the number of the round."""


def permitted(remedies: Iterable[Remedy]) -> tuple[list[Remedy], dict[str, str]]:
    """The remedies that can be tried here, and for each other one the reason why not."""
    refused: dict[str, str] = {}
    possible = []
    for remedy in remedies:
        reason = remedy.refusal()
        if reason is None:
            try:
                remedy.change()
            except UserError as error:
                reason = str(error)
        if reason is None:
            possible.append(remedy)
        else:
            refused[remedy.name] = reason
    if not possible:
        listed = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
        raise UserError(f"--remedies: none can be tried here ({listed})")
    return possible, refused


def turns(remedies: list[Remedy], rounds: int) -> list[Turn]:
    """All turns in order. The order within a round is another each time, so that nothing always
    follows the same; it is the same in each trial."""
    shuffled = random.Random(SEED)
    plan: list[Turn] = []
    for number in range(1, rounds + 1):
        entries: list[Remedy | None] = [None, *remedies]
        shuffled.shuffle(entries)
        plan += [(one, Change() if one is None else one.change(), number) for one in entries]
    return plan
