# SPDX-License-Identifier: Apache-2.0
"""Turns of the remedies and of the program as it is, one process per round."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from wirecost.observe.trial.remedy import PLAIN, Change, Remedy
from wirecost.system.errors import UserError

SEED = 997
Turn = tuple[str, Change, int]
"""A remedy's name, or ``PLAIN`` for the program as it is, its change, the number of the round."""


def permitted(remedies: Iterable[Remedy]) -> tuple[list[Remedy], dict[str, str]]:
    """Return the remedies that can be tried here, and for each other one the reason why not."""
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
    """Return all turns in order.

    The order within a round is another each time, so that nothing always follows the same; it is
    the same in each trial.
    """
    shuffled = random.Random(SEED)
    plan: list[Turn] = []
    for number in range(1, rounds + 1):
        entries: list[Remedy | None] = [None, *remedies]
        shuffled.shuffle(entries)
        plan += [
            (PLAIN, Change(), number) if remedy is None else (remedy.name, remedy.change(), number)
            for remedy in entries
        ]
    return plan


def take(
    plan: list[Turn],
    advance: Callable[[int, int, str], None],
    run: Callable[[str, Change, int], None],
) -> dict[str, str]:
    """Call ``run`` for each turn, and return each failed remedy's name with the reason.

    A remedy under which it raises UserError has no further turns. Raises UserError where the
    program as it is fails.
    """
    failed: dict[str, str] = {}
    for done, (name, change, number) in enumerate(plan):
        if name in failed:
            continue
        advance(done, len(plan), f"{name}, round {number}")
        try:
            run(name, change, number)
        except UserError as error:
            if name == PLAIN:
                raise
            failed[name] = f"round {number}: {error}"
    return failed
