# SPDX-License-Identifier: Apache-2.0
"""The transport to take for what was asked: size, rate, subscribers, network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.transport.measured_transport import MeasuredTransport, Where, Who

ALIKE = 1.1
"""Within so much of the least latency, a promise of no loss decides, then the least processor time:
that nothing was lost in a short run says little of a long one. The same share of the time between
two messages is too little to give up a promise for. Processor times within it are alike, too."""


@dataclass(frozen=True)
class Choice:
    """Choice of a transport for one case.

    ``taken``: what to take, or what lost least where ``lossless`` is false; ``cheapest``: another
    one whose processor time is less, and not alike, if it delivered everything too.
    """

    where: Where
    size: int
    taken: MeasuredTransport
    lossless: bool
    cheapest: MeasuredTransport | None
    able: frozenset[Who] = frozenset()
    """Contenders that delivered everything."""
    promised: tuple[MeasuredTransport, ...] = ()
    """Contenders of ``able`` that promise no loss, the quickest first."""
    settings: frozenset[str] = frozenset()
    """Groups of settings that were measured."""
    quickest: MeasuredTransport | None = None
    """What was quicker than ``taken`` by more than chance, and promises nothing, if ``taken``
    promises no loss."""
    has_tails: bool = False
    """True if latencies were compared by their 99th percentile, else by their median."""

    def latency_ns(self, case: MeasuredTransport) -> float:
        """Return the latency by which contenders were compared."""
        return case.p99_ns if self.has_tails else case.p50_ns


def choices(found: Sequence[MeasuredTransport]) -> list[Choice]:
    """Make a choice for every case, in the order of the cases.

    Of those that delivered every message once, in order and at the asked rate the least 99th
    percentile, or the least median where one of them has few messages; among those within ``ALIKE``
    of it, one that promises no loss if there is one, and then the least processor time. Where none
    of them promises it, the quickest that does is taken if it is later by less than a tenth of the
    time between two messages, or one within ``ALIKE`` of that.
    """
    return [_choice(group) for group in by_case(found)]


def by_case(found: Sequence[MeasuredTransport]) -> list[list[MeasuredTransport]]:
    cases: dict[str, list[MeasuredTransport]] = {}
    for case in found:
        cases.setdefault(case.case, []).append(case)
    return list(cases.values())


def _choice(group: list[MeasuredTransport]) -> Choice:
    able = [case for case in group if case.delivers]
    where, size = group[0].where, group[0].size
    settings = frozenset(case.who.settings for case in group)
    if not able:
        least = min(group, key=lambda case: (bad_share(case), case.p50_ns))
        return Choice(where, size, least, False, None, settings=settings)
    tails = all(case.has_tail for case in able)
    latency = {case.who: case.p99_ns if tails else case.p50_ns for case in able}
    choice = min(
        _alike(able, latency),
        key=lambda case: (
            not case.run.promise,
            case.cost_ns is None,
            case.cost_ns or latency[case.who],
        ),
    )
    priced = [case for case in able if case.cost_ns is not None]
    cheapest = min(priced, key=lambda case: case.cost_ns or 0.0, default=None)
    other = cheapest if _is_cheaper(cheapest, choice) else None
    promised = sorted(
        (case for case in able if case.run.promise), key=lambda case: latency[case.who]
    )
    quickest = min(able, key=lambda case: latency[case.who])
    return Choice(
        where, size, choice, True, other, frozenset(latency), tuple(promised), settings,
        quickest if _is_quicker_unpromised(quickest, choice) else None,
        tails,
    )  # fmt: skip


def _is_cheaper(cheapest: MeasuredTransport | None, choice: MeasuredTransport) -> bool:
    if cheapest is None or cheapest.cost_ns is None or choice.cost_ns is None:
        return False
    return choice.cost_ns > ALIKE * cheapest.cost_ns


def _is_quicker_unpromised(quickest: MeasuredTransport, choice: MeasuredTransport) -> bool:
    """Say whether a promise costs time: the medians' intervals must not overlap."""
    has_promise_alone = bool(choice.run.promise) and not quickest.run.promise
    return has_promise_alone and quickest.p50_ci95_ns[1] < choice.p50_ci95_ns[0]


def _alike(able: list[MeasuredTransport], latency: dict[Who, float]) -> list[MeasuredTransport]:
    """Return those of which promise and processor time decide."""
    alike = _near_quickest(able, latency)
    if any(case.run.promise for case in alike):
        return alike
    promised = _near_quickest([case for case in able if case.run.promise], latency)
    period_ns = able[0].period_ns
    if not promised or period_ns is None:
        return alike
    later_ns = _least(promised, latency) - _least(alike, latency)
    return promised if later_ns < (ALIKE - 1) * period_ns else alike


def _near_quickest(
    cases: list[MeasuredTransport], latency: dict[Who, float]
) -> list[MeasuredTransport]:
    if not cases:
        return []
    quickest_ns = _least(cases, latency)
    return [case for case in cases if latency[case.who] <= ALIKE * quickest_ns]


def _least(cases: list[MeasuredTransport], latency: dict[Who, float]) -> float:
    return min(latency[case.who] for case in cases)


def bad_share(case: MeasuredTransport) -> float:
    """Return messages that were lost, refused, doubled or out of order, of those expected."""
    run = case.run
    bad = case.all_lost + run.refused + run.duplicates + run.reordered
    return bad / max(1, case.expected)
