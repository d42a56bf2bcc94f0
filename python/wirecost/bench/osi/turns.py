# SPDX-License-Identifier: Apache-2.0
"""Which frames the turns of a process end with, and whose last messages are read in full.

A contender must not be able to tell a step that will be read from one that is only timed. So how
long a turn is, and which one is read, is drawn anew in each run; not from ``--seed``, which
contenders know. All processes of a run have the same frames: equal bytes are read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

FIRST_FRAME = 16
"""The frames before are for verifying and for finding out how long a step takes."""
MOST_GAP = 16


@dataclass(frozen=True)
class PlannedTurn:
    """``last``: the number of its last frame. ``read``: whether that frame's messages are read."""

    steps: int
    last: int
    read: bool


def planned(
    steps: int, per_turn: int, most_warm: int, secret: int, process: int
) -> list[PlannedTurn]:
    """Turns of ``per_turn`` steps on average, ``steps`` together, at most ``most_warm`` unmeasured
    ones before each. No frame comes twice."""
    draw = Random(secret)
    found: list[tuple[int, int]] = []
    last, left = FIRST_FRAME, steps
    while left > 0:
        length = draw.randint(1, 2 * per_turn - 1)
        last += most_warm + length + draw.randrange(MOST_GAP)
        found.append((min(length, left), last))
        left -= length
    read = Random(f"{secret} {process}").randrange(len(found))
    return [PlannedTurn(count, at, i == read) for i, (count, at) in enumerate(found)]
