# SPDX-License-Identifier: Apache-2.0
"""Two stand-ins in turns: what slows the machine for a while slows both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from wirecost.measure.standins.account import Account
from wirecost.measure.standins.description import StandIn
from wirecost.measure.standins.processes import DRAIN_S, LEAD_NS, StandInProcesses

SHORTEST_S, LONGEST_S = 1.0, 4.0
"""Seconds of a turn."""
MESSAGES = 20
"""Messages of a turn, where its longest time has room for them."""
LEAST_ROUNDS, MOST_ROUNDS = 3, 12

Say = Callable[[int, int], None]
"""Function to call with the rounds that are done, and all of them."""


def interleaved(
    before: StandIn, after: StandIn, seconds: float, say: Say
) -> Iterator[tuple[Account, Account]]:
    """Yield a pair of turns of each round, in ``seconds`` without the start; the first is not kept.

    Raises UserError, ProgramFailedError.
    """
    slowest_hz = min(before.rate_hz, after.rate_hz)
    turn_s = min(LONGEST_S, max(SHORTEST_S, MESSAGES / slowest_hz))
    whole_s = turn_s + DRAIN_S + LEAD_NS / 1e9
    rounds = max(LEAST_ROUNDS, min(MOST_ROUNDS, int(seconds / (2 * whole_s)) - 1))
    with ExitStack() as stack:
        sides = []
        for stand_in in (before, after):
            processes = StandInProcesses(stand_in.library, stand_in.subscribers)
            sides.append(stack.enter_context(processes))
        for processes, stand_in in zip(sides, (before, after), strict=True):
            processes.open(stand_in)
        for number in range(rounds + 1):
            say(number, rounds + 1)
            order = sides if number % 2 else sides[::-1]
            accounts = {id(side): side.turn(turn_s) for side in order}
            if number:
                yield accounts[id(sides[0])], accounts[id(sides[1])]
