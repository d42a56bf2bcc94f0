# SPDX-License-Identifier: Apache-2.0
"""Where in the program an exceeded count comes from: its first stack and its most frequent one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from wirecost.results.analysis.budget.acts import act
from wirecost.results.analysis.budget.budget import COUNTERS
from wirecost.results.analysis.budget.verdicts import EXCEEDED, Verdict
from wirecost.results.records.probe_stacks import Address, Priorities, SourceLine, Stack

FIRST, MOST_FREQUENT, ONLY = "first", "most frequent", "only"
OWN_LIBRARIES = "libwirecost-"
PYTHON_MODULES = ("python3", "libpython3")
SYSTEM_MODULES = ("libc.so", "libstdc++.so", "libc++.so", "libm.so", "libgcc_s.so", "ld-linux")
SYSTEM_FILES = ("/usr/", "/build/", "<frozen")
OWN_FILES = "/wirecost/observe/probe/"
PACKAGES = ("/lib/python3", "/site-packages/", "/dist-packages/")
BEFORE_MAIN = ("_start", "__libc_start_call_main", "__libc_start_main", "start_thread", "clone")


@dataclass(frozen=True)
class Origin:
    """A stack of a count, ``which``: first, most frequent, or only.

    ``count``: how often it was seen, of ``seen`` times that any was. ``lines``: innermost first;
    ``own``: the innermost of the program's own lines. ``act``: what happened there; ``also``: what
    else is counted elsewhere, and how often. ``holder``: lines of where a lock was taken that was
    waited for, ``held_at``: the program's own of them.
    """

    which: str
    count: int
    seen: int
    lines: tuple[SourceLine, ...]
    own: SourceLine
    act: str = ""
    also: tuple[tuple[str, int], ...] = ()
    holder: tuple[SourceLine, ...] = ()
    held_at: SourceLine | None = None
    priorities: Priorities | None = None


Resolve = Callable[[Sequence[Stack]], Mapping[Address, tuple[SourceLine, ...]]]


def origins(
    judged: Iterable[Verdict], stacks: Sequence[Stack], events: pl.DataFrame, resolve: Resolve
) -> dict[Verdict, list[Origin]]:
    """Return origins of each exceeded count that has any.

    ``resolve`` returns the lines of the addresses in stacks; it is called once.
    """
    around = sections_around(events)
    within = {
        verdict: [stack for stack in stacks if is_within(stack, verdict, around)]
        for verdict in judged
        if verdict.verdict == EXCEEDED and verdict.line.quantity in COUNTERS
    }
    lines_of = resolve([stack for stacks_within in within.values() for stack in stacks_within])
    return {
        verdict: _origins(verdict.line.quantity, stacks_within, lines_of)
        for verdict, stacks_within in within.items()
        if stacks_within
    }


def _origins(
    quantity: str, stacks: Sequence[Stack], lines_of: Mapping[Address, tuple[SourceLine, ...]]
) -> list[Origin]:
    """Return the first stack's origin and the most frequent one's, and what else happened."""
    counts: Counter[str] = Counter()
    for stack in stacks:
        counts[_act(stack, quantity, lines_of)] += stack.count
    picks = []
    for which, stack, seen in _chosen(stacks):
        lines, own = _lines_and_own(stack.addresses, stack.python, lines_of)
        pick = Origin(which, stack.count, seen, lines, own, _act(stack, quantity, lines_of))
        if stack.holder:
            holder, held_at = _lines_and_own(stack.holder, (), lines_of)
            pick = replace(pick, holder=holder, held_at=held_at, priorities=stack.priorities)
        picks.append(pick)
    shown = {pick.act for pick in picks}
    also = tuple(
        (name, count) for name, count in counts.most_common() if name and name not in shown
    )
    return [replace(picks[0], also=also), *picks[1:]]


def _act(stack: Stack, quantity: str, lines_of: Mapping[Address, tuple[SourceLine, ...]]) -> str:
    lines = (line for address in stack.addresses for line in lines_of.get(address, ()))
    return act(stack, quantity, (line.function for line in lines))


def warm_stacks(stacks: Iterable[Stack], events: pl.DataFrame, after_ns: float) -> list[Stack]:
    """Return stacks without those last seen in the first ``after_ns`` of their process."""
    begins = first_begins(events)
    return [stack for stack in stacks if stack.last_ns >= begins.get(stack.process, 0) + after_ns]


def first_begins(events: pl.DataFrame) -> dict[int, int]:
    """Return when the first event of each process begins."""
    return dict(events.group_by("process").agg(pl.col("begin_ns").min()).iter_rows())


def sections_around(events: pl.DataFrame) -> dict[str, set[str]]:
    """Return the sections around each section."""
    pairs = events.select("section", "parent").drop_nulls().unique()
    around: dict[str, set[str]] = {}
    for section, parent in pairs.iter_rows():
        around.setdefault(section, set()).add(parent)
    return around


def is_within(stack: Stack, verdict: Verdict, around: Mapping[str, set[str]]) -> bool:
    """Return whether a stack is of what a verdict counts, in its section or one inside."""
    if verdict.line.quantity not in stack.counters:
        return False
    if stack.section == verdict.name:
        return True
    seen: set[str] = set()
    ahead = {stack.parent} if stack.parent is not None else set()
    while ahead:
        section = ahead.pop()
        if section == verdict.name:
            return True
        seen.add(section)
        ahead |= around.get(section, set()) - seen
    return False


def _chosen(stacks: Sequence[Stack]) -> list[tuple[str, Stack, int]]:
    """Return the first stack and the most frequent one, and how often any was seen."""
    same: dict[tuple[object, ...], Stack] = {}
    for stack in sorted(stacks, key=lambda one: one.first_ns):
        key = (stack.addresses, stack.python, stack.call, stack.priorities)
        earlier = same.get(key)
        if earlier is None:
            same[key] = stack
            continue
        # Who held a lock first is known by the innermost function only.
        holder = max(earlier.holder, stack.holder, key=len)
        same[key] = replace(earlier, count=earlier.count + stack.count, holder=holder)
    if not same:
        return []
    seen = sum(stack.count for stack in same.values())
    first, most = next(iter(same.values())), max(same.values(), key=lambda one: one.count)
    if len(same) == 1:
        return [(ONLY, first, seen)]
    if first is most:
        return [(f"{FIRST} and {MOST_FREQUENT}", first, seen)]
    return [(FIRST, first, seen), (MOST_FREQUENT, most, seen)]


def _lines_and_own(
    addresses: Iterable[Address],
    python: Sequence[SourceLine],
    lines_of: Mapping[Address, tuple[SourceLine, ...]],
) -> tuple[tuple[SourceLine, ...], SourceLine]:
    """Return the lines of a stack, and the innermost of the program's own."""
    native = list(_native(addresses, bool(python), lines_of))
    while len(native) > 1 and native[-1][1].function.startswith(BEFORE_MAIN):
        native.pop()
    own_python = [line for line in python if OWN_FILES not in line.file]
    lines = (*(line for _, line in native), *own_python) or (SourceLine("unknown"),)
    return lines, _own(native, own_python) or lines[0]


def _native(
    addresses: Iterable[Address],
    is_of_python: bool,
    lines_of: Mapping[Address, tuple[SourceLine, ...]],
) -> Iterator[tuple[str, SourceLine]]:
    """Yield modules and lines without those of wirecost, and up to the interpreter of Python."""
    for address in addresses:
        module = address.module.rpartition("/")[2]
        if module.startswith(OWN_LIBRARIES):
            continue
        if is_of_python and module.startswith(PYTHON_MODULES):
            return
        for line in lines_of.get(address, ()):
            yield module, line


def _own(
    native: Sequence[tuple[str, SourceLine]], python: Sequence[SourceLine]
) -> SourceLine | None:
    own = [line for module, line in native if not module.startswith(SYSTEM_MODULES)]
    with_source = (line for line in own if line.file and not _is_system(line.file))
    of_program = (line for line in python if not _is_system(line.file))
    for lines in (with_source, of_program, iter(python), iter(own)):
        if (found := next(lines, None)) is not None:
            return found
    return None


def _is_system(file: str) -> bool:
    return file.startswith(SYSTEM_FILES) or any(part in file for part in PACKAGES)
