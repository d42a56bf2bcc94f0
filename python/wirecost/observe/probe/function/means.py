# SPDX-License-Identifier: Apache-2.0
"""By what calls are recorded: each means, why it may be impossible, and what a call costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wirecost.observe.probe.function import trampoline, uprobes
from wirecost.observe.probe.function.listing import Function, ObjectFile
from wirecost.observe.probe.run.counting import asked_counters
from wirecost.system.errors import UserError

CHEAP_NS = 5_000.0
"""Cost of a breakpoint per call, in nanoseconds, at most where nobody asked for breakpoints.

They need nothing in the program, but in virtual machines a trap can take tens of microseconds.
"""


@dataclass(frozen=True)
class Means:
    """A means by which calls are recorded.

    ``unavailable``: why not for this program, empty: it is; ``why_not``: the same for a
    function; ``cost_ns``: of a call, measured when it is asked; ``counts``: the only counters that
    it has, None: all; ``misses``: what it does not see of this program, empty: nothing.
    """

    name: str
    about: str
    unavailable: str
    why_not: Callable[[Function], str]
    cost_ns: Callable[[Mapping[str, str]], float | None]
    counts: frozenset[str] | None = None
    misses: str = ""

    def uncounted(self, names: Iterable[str]) -> list[str]:
        """Return those of the counters that this means cannot count."""
        return [] if self.counts is None else [name for name in names if name not in self.counts]


def all_means(refusal: str | None, objects: Sequence[ObjectFile]) -> list[Means]:
    """Return all means in the order in which they are tried.

    ``refusal``: why nothing can be preloaded.
    """
    instrumented = {file.path for file in objects if file.calls_hooks}
    with_sleds = {file.path for file in objects[:1] if file.has_sleds}
    opened = any(file.opens_libraries for file in objects)
    cannot_preload = f"nothing can be preloaded: {refusal}" if refusal else ""
    return [
        Means(
            "uprobes",
            "by uprobes",
            uprobes.unavailable(),
            uprobes.why_not,
            uprobes.cost_ns,
            uprobes.COUNTED,
            "functions of libraries that are opened later" if opened else "",
        ),
        Means(
            "trampoline",
            "by patched entries",
            cannot_preload,
            trampoline.why_not,
            trampoline.cost_ns,
        ),
        _built("instrumented", "by -finstrument-functions", cannot_preload, instrumented),
        _built("xray", "by -fxray-instrument", cannot_preload, with_sleds),
    ]


def _built(name: str, about: str, cannot_preload: str, objects: set[str]) -> Means:
    """Means that a program has by how it was built. What a call costs depends on the program."""

    def why_not(function: Function) -> str:
        if function.refusal or function.object in objects:
            return function.refusal
        return f"{function.object} was not built so"

    missing = "" if objects else "nothing of the program was built so"
    return Means(name, about, cannot_preload or missing, why_not, lambda _: None)


@dataclass(frozen=True)
class Taken:
    means: Means
    cost_ns: float | None
    notes: tuple[str, ...]


def take(name: str, every: Iterable[Means], functions: Iterable[Function]) -> Taken:
    """Return the first means that is available, can record a function, is cheap, and counts all.

    It counts what ``WIRECOST_PROBE_COUNTERS`` names; another one is taken where there is no better.

    Raises:
        UserError: there is none, with the reason of each.
    """
    notes: list[str] = []
    second: Taken | None = None
    before = 0
    functions = list(functions)
    for means in every:
        if name not in ("auto", means.name):
            continue
        why = means.unavailable or _of_all(functions, means.why_not)
        if why:
            notes.append(f"not {means.about}: {why}")
            continue
        cost = means.cost_ns(os.environ)
        lacks = means.uncounted(asked_counters())
        against = _against(means, cost, lacks)
        if name != "auto" or not against:
            return Taken(means, cost, (*notes, *_lack(means, lacks)))
        if second is None:
            second, before = Taken(means, cost, (*notes, *_lack(means, lacks))), len(notes)
        notes.append(
            f"not {means.about}: {against}; --function-means {means.name} takes it all the same"
        )
    if second is not None:
        own = f"not {second.means.about}: "
        return replace(
            second, notes=(*second.notes, *(n for n in notes[before:] if not n.startswith(own)))
        )
    raise UserError(f"--function: {'; '.join(notes) or 'no means of recording'}")


def _against(means: Means, cost: float | None, lacks: list[str]) -> str:
    """Why others are tried first; empty: nothing is against it."""
    if lacks:
        return f"cannot count {', '.join(lacks)}"
    if means.misses:
        return f"misses {means.misses}"
    if means.name != "uprobes":
        return ""
    if cost is None:
        return "what a call costs could not be measured"
    return f"{price(cost)} per call on this machine" if cost > CHEAP_NS else ""


def _lack(means: Means, lacks: list[str]) -> tuple[str, ...]:
    if not lacks:
        return ()
    return (f"{means.name} cannot count {', '.join(lacks)}; --function-means trampoline can",)


def _of_all(functions: list[Function], why_not: Callable[[Function], str]) -> str:
    """Return the reasons, where every function has one."""
    reasons = [(function, why_not(function)) for function in functions]
    if not all(reason for _, reason in reasons):
        return ""
    return "; ".join(f"{function.name}: {reason}" for function, reason in reasons[:3])


def price(cost_ns: float) -> str:
    return f"{cost_ns / 1000:.2f} µs" if cost_ns < 10_000 else f"{cost_ns / 1000:.0f} µs"
