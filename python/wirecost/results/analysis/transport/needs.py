# SPDX-License-Identifier: Apache-2.0
"""Uses of each transport: a verdict for every need, with the measurement it follows from.

A need is judged in one case, or in all cases that are about it; who has several groups of settings
is judged by the best of them, which the verdict's measurement names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from wirecost.results.analysis.transport.measured_transport import Asked, Failed, MeasuredTransport
from wirecost.results.analysis.transport.recommendation import bad_share

QUICK = 1.25
CHEAP = 1.25
LARGE = 2.0
MANY = 2.0
"""A tick is for whoever is within this factor of the best that delivered everything."""
LARGE_BYTES = 100_000
LOOPBACK = "loopback"
SMALLEST = "with the smallest messages"
TAIL = "Tail: p99, or the median where fewer than 1,000 messages arrived."
"""Meaning of the tail in ``about``."""


@dataclass(frozen=True)
class Verdict:
    """``met``: None where it was not measured; ``why``: a few words for what is not met."""

    met: bool | None
    evidence: MeasuredTransport | None = None
    why: str = ""
    failed: Failed | None = None
    """A case of the need that has no measurement."""
    only: tuple[str, ...] = ()
    """Groups of settings that meet the need, where others of the transport do not."""
    others: tuple[MeasuredTransport, ...] = ()
    """Measurements of those others."""
    factor: float | None = None
    """Quotient of the value and the least one."""


@dataclass(frozen=True)
class Need:
    """A need that a transport meets or not.

    ``about``: how a tick is earned; ``title``: of a column; ``asks``: what a run must have so that
    this need has an answer of its own.
    """

    title: str
    about: str
    cases: Callable[[Sequence[Asked]], list[Asked]]
    value: Callable[[MeasuredTransport], float | None]
    within: float | None
    """Factor of the best's value; None: that what was taken arrives is all that is asked."""
    asks: str = ""
    is_moot: Callable[[Sequence[Asked]], bool] = lambda _: False
    """Whether the answer stands in another need's column."""
    scope: str = ""
    """Messages that it is about, where there are several sizes."""
    promised: bool = False
    """True if the settings must promise it besides; ``value`` is then no time."""

    def holds(self, case: MeasuredTransport) -> bool:
        """Say whether its messages are as they must be."""
        return case.arrives if self.within is None else case.delivers


def _smallest(found: Sequence[Asked]) -> list[Asked]:
    """Return the first network and number of subscribers, the smallest size."""
    here = [case for case in found if case.where == found[0].where]
    least = min(case.size for case in here)
    return [case for case in here if case.size == least]


def _largest(found: Sequence[Asked]) -> list[Asked]:
    here = [case for case in found if case.where == found[0].where]
    most, least = max(case.size for case in here), min(case.size for case in here)
    # Of a single size this would be what `fastest` says already.
    return (
        [case for case in here if case.size == most] if most >= LARGE_BYTES and most > least else []
    )


def _all_large(found: Sequence[Asked]) -> bool:
    """Say whether the smallest messages are large ones, too."""
    return all(case.size >= LARGE_BYTES for case in found)


def _lossy(lossy: Iterable[str]) -> Callable[[Sequence[Asked]], list[Asked]]:
    names = set(lossy)
    return lambda found: [case for case in found if case.where.network in names]


def _crowded(found: Sequence[Asked]) -> list[Asked]:
    counts = {case.where.subscribers for case in found}
    if len(counts) == 1:
        return []
    most = max(counts)
    crowded = [case for case in found if case.where.subscribers == most]
    return _smallest(crowded)


def _away(lossy: Iterable[str]) -> Callable[[Sequence[Asked]], list[Asked]]:
    """Choose networks that lose nothing by themselves."""
    left_out = {LOOPBACK, *lossy}
    return lambda found: [case for case in found if case.where.network not in left_out]


def _lossless(lossy: Iterable[str]) -> Callable[[Sequence[Asked]], list[Asked]]:
    left_out = set(lossy)
    return lambda found: [
        case
        for case in found
        if case.where.network not in left_out and case.where.pattern == "pubsub"
    ]


def needs(lossy: Sequence[str]) -> list[Need]:
    """Return all needs. ``lossy``: networks that lose packets."""

    def p50(case: MeasuredTransport) -> float:
        return case.p50_ns

    def tail(case: MeasuredTransport) -> float:
        return case.tail_ns

    return [
        Need("loses nothing", "on loopback and over networks that lose nothing, all that the "
             "middleware took arrives, once and in order, and the settings promise it",
             _lossless(lossy), lambda case: 0.0 if case.run.promise else 1.0, None,
             "--pattern pubsub, a --network that loses nothing", promised=True),
        Need("fastest", f"median at most {QUICK:g} × the least",
             _smallest, p50, QUICK, scope=SMALLEST),
        Need("cheapest", f"CPU time per message at most {CHEAP:g} × the least",
             _smallest, lambda case: case.cost_ns, CHEAP, scope=SMALLEST),
        Need("survives loss", "over networks that lose packets, all that the middleware took "
             "arrives, once and in order; the tail is that of the worst case",
             _lossy(lossy), tail, None, "a --network that loses packets"),
        Need("many subscribers", f"tail with the most subscribers at most {MANY:g} × the least",
             _crowded, tail, MANY, "several --subscribers"),
        Need("other machines", "over networks that lose nothing, all that the middleware took "
             "arrives, once and in order; the tail is that of the worst case",
             _away(lossy), tail, None, "another --network than loopback"),
        Need("large messages", f"median of the largest messages at most {LARGE:g} × the least",
             _largest, p50, LARGE, f"several --sizes, one of {LARGE_BYTES // 1000} kB or more",
             _all_large),
    ]  # fmt: skip


def verdicts(
    found: Sequence[MeasuredTransport], need: Need, failed: Sequence[Failed] = ()
) -> dict[tuple[str, str], Verdict]:
    """Judge by transport (name and client).

    Who failed in one of the need's cases does not meet it.
    """
    all_asked: list[Asked] = [*found, *failed]
    cases = need.cases(all_asked) if found else []
    able = [
        need.value(case)
        for case in cases
        if isinstance(case, MeasuredTransport) and need.holds(case)
    ]
    best = min((value for value in able if value is not None), default=None)
    judged = {}
    for transport in dict.fromkeys(case.who.transport for case in all_asked):
        of_transport = [case for case in cases if case.who.transport == transport]
        judged[transport] = _verdict(of_transport, need, best)
    return judged


def _verdict(mine: list[Asked], need: Need, best: float | None) -> Verdict:
    if not mine:
        return Verdict(None)
    by_settings: dict[str, list[Asked]] = {}
    for case in mine:
        by_settings.setdefault(case.who.settings, []).append(case)
    judged = [_of_one(group, need, best) for group in by_settings.values()]
    best_judged = min(
        judged, key=lambda verdict: (not verdict.met, bool(verdict.failed), _order(verdict, need))
    )
    meeting = [name for name, verdict in zip(by_settings, judged, strict=True) if verdict.met]
    if not meeting or len(meeting) == len(judged):
        return best_judged
    others = tuple(verdict.evidence for verdict in judged if not verdict.met and verdict.evidence)
    return replace(best_judged, only=tuple(meeting), others=others)


def _of_one(asked: list[Asked], need: Need, best: float | None) -> Verdict:
    """Judge one group of settings: its worst case decides."""
    for case in asked:
        if isinstance(case, Failed):
            return Verdict(False, None, case.run.failure or "", case)
    group = [case for case in asked if isinstance(case, MeasuredTransport)]
    worst = max(
        group,
        key=lambda case: (not need.holds(case), bad_share(case), need.value(case) or 0.0),
    )
    if not need.holds(worst):
        return Verdict(False, worst, "; ".join(worst.flaws))
    value = need.value(worst)
    if need.within is None:
        return Verdict(bool(worst.run.promise) or not need.promised, worst)
    if value is None or best is None:
        return Verdict(None, worst)
    factor = value / best if best else None
    return Verdict(value <= need.within * best, worst, factor=factor)


def _order(verdict: Verdict, need: Need) -> tuple[float, float]:
    evidence = verdict.evidence
    if evidence is None:
        return 1.0, 0.0
    return bad_share(evidence), need.value(evidence) or 0.0
