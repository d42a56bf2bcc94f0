# SPDX-License-Identifier: Apache-2.0
"""Suppressions: stacks that a budget lets pass for a reason, until a day.

The file's syntax is that of RealtimeSanitizer, which takes the reason and the day for a comment::

    # until 2027-01-31: the logger is replaced by then
    call-stack-contains:spdlog::
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from wirecost.results.analysis.budget.budget import COUNTERS
from wirecost.results.analysis.budget.origins import first_begins, is_within, sections_around
from wirecost.results.analysis.budget.verdicts import EXCEEDED, SUPPRESSED, Verdict
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import COUNTER
from wirecost.results.records.probe_stacks import Address, SourceLine, Stack
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular

LARGEST, MOST = 1 << 20, 1000
KIND = "call-stack-contains"
EXAMPLE = f"# until 2027-01-31: REASON, and {KIND}:NAME below it"
_REASON = re.compile(r"#\s*until (?P<day>\S+):\s*(?P<reason>\S.*)")
USED, UNUSED, EXPIRED = "used", "unused", "expired"


@dataclass(frozen=True)
class Suppression:
    """Stacks that have a function of a name; ``until`` is the last day on which they may pass."""

    place: str
    pattern: str
    reason: str
    until: date

    def holds_for(self, functions: Iterable[str]) -> bool:
        """Return whether a stack passes: the pattern is found in the name of a function.

        ``*`` is any text; ``^`` and ``$`` are the ends of the name.
        """
        start = "" if self.pattern.startswith("^") else "*"
        end = "" if self.pattern.endswith("$") else "*"
        literal = self.pattern.removeprefix("^").removesuffix("$")
        glob = start + literal.replace("[", "[[]").replace("?", "[?]") + end
        return any(fnmatchcase(function, glob) for function in functions)


@dataclass(frozen=True)
class Applied:
    """What is left of verdicts and stacks, and what became of each suppression."""

    verdicts: list[Verdict]
    stacks: list[Stack]
    states: dict[Suppression, str]


def read_suppressions(path: Path) -> list[Suppression]:
    """Read a file of suppressions; raise UserError with line, what is wrong, and what to write."""
    try:
        lines = read_regular(path, LARGEST).decode().splitlines()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a file of suppressions") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from error
    suppressions: list[Suppression] = []
    reason: re.Match[str] | None = None
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            reason = _REASON.fullmatch(line) or (reason if line else None)
            continue
        kind, _, pattern = line.partition(":")
        place = f"{path}:{number}"
        if kind != KIND or not pattern or len(suppressions) == MOST:
            raise UserError(f"{place}: {shown(line)}: write {EXAMPLE}, for {MOST} names at most")
        if reason is None:
            raise UserError(f"{place}: has no reason; write {EXAMPLE}")
        try:
            until = date.fromisoformat(reason["day"])
        except ValueError as error:
            raise UserError(
                f"{place}: {shown(reason['day'])} is no day; write {EXAMPLE}"
            ) from error
        suppressions.append(Suppression(place, pattern, reason["reason"], until))
    return suppressions


def suppress(
    judged: Iterable[Verdict],
    stacks: Sequence[Stack],
    events: pl.DataFrame,
    lines_of: Mapping[Address, tuple[SourceLine, ...]],
    suppressions: Sequence[Suppression],
    today: date,
) -> Applied:
    """Let pass the counts with limit 0 all of whose events have a stack that is suppressed.

    ``events``: without the warm-up; ``stacks``: of events in the same time.
    """
    states = {
        suppression: EXPIRED if suppression.until < today else UNUSED
        for suppression in suppressions
    }
    passing = set()
    for stack in stacks:
        lines = [line for address in stack.addresses for line in lines_of.get(address, ())]
        functions = [line.function for line in (*lines, *stack.python)]
        for suppression, state in states.items():
            if state != EXPIRED and suppression.holds_for(functions):
                states[suppression] = USED
                passing.add(stack)
    around, executed, begins = sections_around(events), executions(events), first_begins(events)

    def passes(verdict: Verdict) -> bool:
        quantity = verdict.line.quantity
        if verdict.verdict != EXCEEDED or quantity not in COUNTERS or verdict.line.limit > 0:
            return False
        within = [stack for stack in stacks if is_within(stack, verdict, around)]
        count = executed.filter(section=verdict.name)[COUNTER + quantity].sum()
        # A stack that was there before has a count of which nobody knows what is of the warm-up.
        seen = sum(s.count for s in within if s.first_ns >= begins.get(s.process, 0))
        return passing.issuperset(within) and seen >= count

    verdicts = [
        replace(verdict, verdict=SUPPRESSED) if passes(verdict) else verdict for verdict in judged
    ]
    return Applied(verdicts, [stack for stack in stacks if stack not in passing], states)
