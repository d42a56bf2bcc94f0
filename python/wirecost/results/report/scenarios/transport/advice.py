# SPDX-License-Identifier: Apache-2.0
"""Advice on the transport to take for what was asked, in a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from wirecost.results.analysis.transport.measured_transport import MeasuredTransport, Where, share
from wirecost.results.analysis.transport.recommendation import Choice, choices
from wirecost.results.records.schemas.common import Scalar
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.report.results.caution import caution
from wirecost.results.report.scenarios.transport.tables import name, settings_key
from wirecost.results.report.shared import units
from wirecost.system.counted import counted

DEFAULT, MATCHED = "default", "matched"
"""The group of settings that asks all transports for no loss."""
MOST_NAMED = 3
"""Contenders that a sentence names."""
MANY_LOST = 3.0
"""Bound of the rule of three: where none of n was lost, the true share is below 3 / n with 95 %
certainty, if losses do not depend on each other."""


def lead(meta: TransportMeta, found: Sequence[MeasuredTransport]) -> str | None:
    """Advise, and say whether the machine was loaded; None where nothing was measured."""
    text = advice(meta, found)
    if text and caution(meta):
        text += " The machine was loaded: trust the order, not the times."
    return text


def advice(meta: TransportMeta, found: Sequence[MeasuredTransport]) -> str | None:
    chosen = choices(found)
    if not chosen:
        return None
    parts: list[str] = []
    if meta.no_shared_memory:
        parts.append(f"No middleware with shared memory was measured ({meta.no_shared_memory}).")
    for where, of in groupby(chosen, key=lambda choice: choice.where):
        several = [list(same) for _, same in groupby(of, key=_taken)]
        for same in several:
            # Settings are explained once.
            is_known = any(f"use {name(same[0].taken)} " in text for text in parts)
            parts.append(_sentence(where, same, meta, is_known))
    broken = [run for run in meta.runs if run.broken]
    if broken:
        many = "promise" if len(broken) == 1 else "promises"
        who = ", ".join(dict.fromkeys(f"{run.mware} {run.mode}" for run in broken))
        parts.append(f"{len(broken)} {many} of no loss did not hold ({who}); see below.")
    nearest = [choice.taken for choice in chosen if not choice.lossless]
    parts += _losers([case for case in found if case not in nearest])
    return " ".join([*parts, *_absent(meta)])


def _losers(found: Sequence[MeasuredTransport]) -> list[str]:
    """Return a sentence on who lost messages, in all cases together, the most first."""
    counts: dict[str, tuple[int, int]] = {}
    for case in found:
        if case.all_lost:
            lost, expected = counts.get(name(case), (0, 0))
            counts[name(case)] = lost + case.all_lost, expected + case.expected
    if not counts:
        return []
    ranked = sorted(counts.items(), key=lambda item: -item[1][0] / max(1, item[1][1]))
    named = [f"{who} {share(*of)}" for who, of in ranked[:MOST_NAMED]]
    if len(ranked) > MOST_NAMED:
        named.append(f"{len(ranked) - MOST_NAMED:,} more")
    return [f"These lost messages: {', '.join(named)}."]


def _absent(meta: TransportMeta) -> list[str]:
    """Return a sentence on the transports that were asked for and have no measurement.

    Folders of before do not say what was asked for.
    """
    there = {run.mware for run in meta.runs if not run.failure}
    requested = meta.requested
    names = [name for name in requested if name not in there]
    if not names:
        return []
    were = "was" if len(names) == 1 else "were"
    return [f"{len(names)} of {len(requested)} requested {were} not measured: {', '.join(names)}."]


def _taken(choice: Choice) -> tuple[str, bool]:
    return name(choice.taken), choice.lossless


def _sentence(where: Where, same: list[Choice], meta: TransportMeta, is_known: bool = False) -> str:
    """Advise for neighbouring sizes with the same answer."""
    first, last = same[0], same[-1]
    sizes = units.size(first.size)
    if last is not first:
        sizes += f" to {units.size(last.size)}"
    rate = f"{first.taken.run.asked_rate:g}"
    if last.taken.run.asked_rate != first.taken.run.asked_rate:
        rate += f" to {last.taken.run.asked_rate:g}"
    rates = f"at {rate} Hz" if first.taken.run.asked_rate else "as fast as possible"
    situation = f"For {sizes} {rates}, {_whom(where)}"
    if not first.lossless:
        flaws = "; ".join(first.taken.flaws)
        nearest = f"{name(first.taken)} came nearest ({flaws})"
        return f"{situation}, no middleware delivered every message; {nearest}."
    ends = [first] if last is first else [first, last]
    about = meta.settings.get(settings_key(meta, first.taken), {})
    warned = "" if is_known else _caution(first.taken, about)
    numbers = _numbers([choice.taken for choice in ends])
    text = f"{situation}, use {name(first.taken)}{warned}: {numbers}"
    evidence = _evidence(same)
    return text + _cheaper(first, same) + _quicker(same) + evidence + _with_promise(same)


def _numbers(ends: Sequence[MeasuredTransport]) -> str:
    """Return numbers of one contender, with one size or with the first and the last one."""
    text = f"median {' to '.join(units.time(case.p50_ns) for case in ends)}"
    if all(case.has_tail for case in ends):
        text += f", p99 {' to '.join(units.time(case.p99_ns) for case in ends)}"
    if (cost := ends[0].cost_ns) is not None:
        text += f", {units.time(cost)} of CPU time per message"
    return text


def _with_promise(same: list[Choice]) -> str:
    """Return what to take where nothing may be lost, if what is quickest does not promise it."""
    first, last = same[0], same[-1]
    if first.taken.run.promise or first.where.pattern != "pubsub":
        return ""
    by_contender = [{case.who: case for case in choice.promised} for choice in same]
    for case in first.promised:
        if all(case.who in promised for promised in by_contender):
            ends = [case] if last is first else [case, by_contender[-1][case.who]]
            return f" If no message may be lost, use {name(case)}: {_numbers(ends)}."
    if MATCHED not in first.settings:
        return f" To measure settings that promise no loss, add `--settings {MATCHED}`."
    return " No settings that promise no loss delivered everything."


def _caution(case: MeasuredTransport, about: Mapping[str, Scalar]) -> str:
    """Return what settings promise, and what happens where they promise nothing.

    ``about``: of these settings, as a folder has it.
    """
    promise = case.run.promise
    text = f"promises {promise}" if promise else "does not promise that nothing is lost"
    if full := about.get("full"):
        queue = str(about.get("receiver_queue", ""))
        of = f" of {queue}" if queue[:1].isdigit() else ""
        text += f"; when the queue{of} is full: {full}"
    return f" ({text})"


def _cheaper(first: Choice, same: list[Choice]) -> str:
    cheaper, cost = first.cheapest, first.taken.cost_ns
    # One that delivers at some of the sizes only is no advice for all.
    if cheaper is None or cheaper.cost_ns is None or cost is None:
        return ""
    if not all(cheaper.who in choice.able for choice in same):
        return ""
    which = "" if cheaper.run.promise else ", which promises nothing"
    text = f" ({name(cheaper)}{which}: {units.time(cheaper.cost_ns)} of CPU time"
    return text + (f", p99 {units.time(cheaper.p99_ns)})" if cheaper.has_tail else ")")


def _quicker(same: list[Choice]) -> str:
    """Return what is quicker without a promise, where one with a promise is taken for it."""
    quicker = same[0].quickest
    if quicker is None or any(
        choice.quickest is None or choice.quickest.who != quicker.who for choice in same
    ):
        return ""
    ends = same[:1] if len(same) == 1 else [same[0], same[-1]]
    sooner = [
        choice.latency_ns(choice.taken) - choice.latency_ns(choice.quickest)
        for choice in ends
        if choice.quickest is not None
    ]
    by = " to ".join(map(units.time, sooner))
    return f". {name(quicker)} is {by} faster, but may lose messages"


def _evidence(same: list[Choice]) -> str:
    """Return how many messages stand behind the claim that nothing was lost."""
    few = min((choice.taken for choice in same), key=lambda case: case.expected)
    at_each = "" if len(same) == 1 else " at each size"
    what = "deliveries" if few.where.pattern == "pubsub" else "replies"
    least = 100 * MANY_LOST / max(1, few.expected)
    return (
        f". None of its {few.expected:,} {what}{at_each} was lost;"
        f" losses below {least:.2g} % would not show."
    )


def _whom(where: Where) -> str:
    is_request = where.pattern == "reqrep"
    to = "requests" if is_request else counted(where.subscribers, "subscriber")
    on = "on loopback" if where.network == "loopback" else f"over network {where.network}"
    return f"{to} {on}"
