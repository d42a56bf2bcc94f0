# SPDX-License-Identifier: Apache-2.0
"""The transport to take for what was asked: size, rate, subscribers, network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.transport.measured import MeasuredTransport, Where, Who

ALIKE = 1.1
"""Within so much of the least latency, a promise of no loss decides, then the least processor time:
that nothing was lost in a short run says little of a long one."""


@dataclass(frozen=True)
class Choice:
    """Choice of a transport for one case.

    ``taken``: what to take, or what lost least where ``lossless`` is false; ``cheapest``: another
    one that took less processor time, if it delivered everything too.
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


def choices(found: Sequence[MeasuredTransport]) -> list[Choice]:
    """Make a choice for every case, in the order of the cases.

    Of those that delivered every message once, in order and at the asked rate the least 99th
    percentile, or the least median where one of them has few messages; among those within ``ALIKE``
    of it, one that promises no loss if there is one, and then the least processor time.
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
    quickest = min(latency.values())
    choice = min(
        (case for case in able if latency[case.who] <= ALIKE * quickest),
        key=lambda case: (
            not case.run.promise,
            case.cost_ns is None,
            case.cost_ns or latency[case.who],
        ),
    )
    priced = [case for case in able if case.cost_ns is not None]
    cheapest = min(priced, key=lambda case: case.cost_ns or 0.0, default=None)
    other = None if cheapest is choice else cheapest
    promised = sorted(
        (case for case in able if case.run.promise), key=lambda case: latency[case.who]
    )
    return Choice(where, size, choice, True, other, frozenset(latency), tuple(promised), settings)


def bad_share(case: MeasuredTransport) -> float:
    """Return messages that were lost, refused, doubled or out of order, of those expected."""
    run = case.run
    bad = run.lost + run.lost_before + run.refused + run.duplicates + run.reordered
    return bad / max(1, case.expected)
