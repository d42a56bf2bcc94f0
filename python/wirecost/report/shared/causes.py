# SPDX-License-Identifier: Apache-2.0
"""What the time of sections consists of and follows: as a table, and in a sentence a cause."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.analysis.causes import Cause, Cost, Explanation, Origin
from wirecost.analysis.causes.costs import FAR
from wirecost.analysis.causes.kinds import INPUT, is_duration, kind_of
from wirecost.analysis.probe_tree import Node
from wirecost.report.shared import units
from wirecost.report.shared.own_time import own_time
from wirecost.report.shared.table import Table

NEXT = "WIRECOST_PROBE_COUNTERS=minor-faults,run-queue-wait-ns,blocked-ns"
"""Fits a line of 80 columns, lest it is broken where it is copied."""
MUCH = 0.2
"""What is unexplained beyond this share gets a sentence."""
LISTED = 3
"""Sections of which nothing explains the time."""
CERTAIN = 0.05
ROUNDED = 1.005
NONE, DAGGER, OVERLAPPING = "–", " †", " ‡"
WAITING = "with waiting"
"""In place of a price."""
MARKS = {Origin.REGRESSION: "", Origin.MACHINE: " *", Origin.ITSELF: ""}


def cause_table(explanations: list[Explanation]) -> Table | None:
    """Costs of each section, ranked; none where nothing explains any."""
    explanations = [one for one in explanations if one.costs or one.steady]
    if not explanations:
        return None
    body = []
    for one in explanations:
        for cost in one.costs:
            cause = one.cause(cost.name)
            shares = [""] * 3
            if cause is not None:
                shares = _percent(cause.variance, cause.usual, cause.alone)
            body.append(
                [
                    one.section,
                    cost.name,
                    _part(cost.ns_median, one.median_ns),
                    _part(cost.ns_slowest, one.slowest_ns),
                    _price_cell(cost),
                    *shares,
                ]
            )
        body += [
            [one.section, steady.name, NONE, NONE, f"{_count(steady.each)} without a price"]
            + [""] * 3
            for steady in one.steady
        ]
        rest = [
            _part(one.rest_median_ns, one.median_ns),
            _part(one.rest_slowest_ns, one.slowest_ns),
        ]
        body.append(
            [one.section, "unexplained", *rest, "", *_percent(one.unexplained_variance), "", ""]
        )
    headings = ["section", "time follows", "of the median", "of the slowest 1 %", "price"]
    headings += ["variance", "other 99 %", "alone"]
    optional = ("alone", "other 99 %", "variance")
    parts = ("of the median", "of the slowest 1 %")
    return Table("Causes", headings, body, _notes(explanations), optional, (parts,))


def sentences(one: Explanation, nodes: Sequence[Node] = ()) -> list[str]:
    """A sentence a cost and one of its own processor time, the largest first, what is steady, and
    what is unexplained. ``nodes``: the sections inside sections."""
    found = [f"{one.section}: {_sentence(one, cost)}" for cost in one.costs]
    if own := own_time(one, nodes):
        larger = sum(cost.ns_median > one.rest_median_ns for cost in one.costs)
        found.insert(larger, f"{one.section}: {own}")
    found += [
        f"{one.section}: {_count(steady.each)} {steady.name} in the median execution, "
        f"nearly constant, so regression cannot price them; {steady.advice}, then compare"
        for steady in one.steady
    ]
    if not _is_unexplained(one):
        return found
    if one.unexplained_slowest >= one.unexplained_variance:
        what = f"{_percent(one.unexplained_slowest)[0]} of the slowest 1 %"
    else:
        what = f"{_percent(one.unexplained_variance)[0]} of the variance"
    text = f"{one.section}: {what} {'is' if what.startswith('1 ') else 'are'} unexplained"
    if one.absent:
        text += f"; not counted: {', '.join(one.absent)}"
    return [*found, text]


def all_sentences(explanations: list[Explanation], nodes: Sequence[Node] = ()) -> list[str]:
    """Those of each section, and one for all of which nothing is known but that. ``nodes``: the
    sections inside sections."""
    found: list[str] = []
    unknown: list[Explanation] = []
    for one in explanations:
        texts = sentences(one, nodes)
        if len(texts) == 1 and not one.costs and not one.steady and _is_unexplained(one):
            unknown.append(one)
        else:
            found += texts
    if len(unknown) == 1:
        return found + sentences(unknown[0], nodes)
    if unknown:
        more = f" and {len(unknown) - LISTED} more" if len(unknown) > LISTED else ""
        names = ", ".join(one.section for one in unknown[:LISTED])
        absent = list(dict.fromkeys(name for one in unknown for name in one.absent))
        lacking = f"; not counted: {', '.join(absent)}" if absent else ""
        found.append(f"{names}{more}: no counter explains their time{lacking}")
    return found


def _is_unexplained(one: Explanation) -> bool:
    return max(one.unexplained_slowest, one.unexplained_variance) > MUCH


def record_next(explanations: list[Explanation]) -> str | None:
    """What to record where waiting may be the reason and was not counted: before all advice."""
    unseen = [
        one.section
        for one in explanations
        if one.waits_uncounted
        and (
            max(one.unexplained_slowest, one.unexplained_variance) > MUCH
            or any(cost.benchmark_ns or cost.holds_waiting for cost in one.costs)
        )
    ]
    if not unseen:
        return None
    return (
        f"Time waiting for a processor was not counted ({', '.join(unseen[:3])}"
        f"{', …' if len(unseen) > 3 else ''}). Run it again with {NEXT} "
        "(it adds about 3 µs to a section)"
    )


def price(ns: float, name: str) -> str:
    """``0.25 µs per fault``: what one more costs; of a time, what it is."""
    if is_duration(name):
        return "time itself"
    text = units.time(ns) if abs(ns) >= 0.01 else f"{ns:.2g} ns"
    return f"{text} per {kind_of(name).unit}"


def _notes(explanations: list[Explanation]) -> list[str]:
    costs = [cost for one in explanations for cost in one.costs]
    notes = [
        "of the median, of the slowest 1 %: price times count in the median execution; on average "
        "in the slowest 1 %",
        "variance: the share of the variance of all executions",
        "other 99 %: the share of the variance of the faster 99 %",
        "alone: what no other number of the variance explains",
    ]
    if any(cost.holds_waiting for cost in costs):
        notes.append(
            f"{WAITING}: no switch or migration itself takes as long, so this is mostly time "
            "waiting for a processor, which was not counted"
        )
    if any(cost.within for cost in costs):
        notes.append(
            "‡: may be part of another row's time, so these rows are not to be added; what is "
            "unexplained counts it once"
        )
    if any(cost.origin is Origin.MACHINE for cost in costs):
        notes.append("*: price of a benchmark on the machine, where the executions show none")
    if any(cost.benchmark_ns for cost in costs):
        notes.append(
            f"†: more than {FAR:.0f} times the price that a benchmark measured on the machine: the "
            "price of something that comes with it"
        )
    if any(_beyond(one) for one in explanations):
        notes.append("Prices are estimates, so parts may add to a little more than 100 %")
    if any(cost.name == INPUT for cost in costs):
        notes.append(f"{INPUT} is the number that the program recorded with the section")
    return notes


def _sentence(one: Explanation, cost: Cost) -> str:
    s = "s" if cost.name == INPUT or is_duration(cost.name) else ""
    amounts = (
        f"{_of(cost.ns_median, one.median_ns, 'median')}, "
        f"{_of(cost.ns_slowest, one.slowest_ns, 'slowest 1 %')}"
    )
    if cost.holds_waiting:
        unit = kind_of(cost.name).unit
        return f"{amounts} go along with {cost.name}, too long for a {unit}: {cost.advice}"
    text = f"{cost.name} take{s} {amounts}"
    if not is_duration(cost.name):
        count, each = _priced(cost)
        text += f": {_count(count)} × {each}"
    if cost.origin is Origin.MACHINE:
        text += " as measured on this machine"
    if cost.within is not None:
        text += f" (may be part of what {cost.within} takes)"
    cause = one.cause(cost.name)
    if cause is None:
        return f"{text}; {cost.advice}"
    text += f"; explain{s} {_explained(cause)}"
    if cause.power is not None:
        text += f", growing with its power of {cause.power:g}"
    if cost.benchmark_ns:
        text += (
            f"; a benchmark on this machine measured {units.time(cost.benchmark_ns)}, so the price "
            "is that of something that comes with it"
        )
    text += f"; {cause.advice}"
    if cause.rivals:
        text += f" (cannot be distinguished from {' and '.join(cause.rivals)})"
    return text


def _beyond(one: Explanation) -> bool:
    counted = [cost for cost in one.costs if cost.within is None]
    return (
        sum(cost.ns_median for cost in counted) > ROUNDED * one.median_ns
        or sum(cost.ns_slowest for cost in counted) > ROUNDED * one.slowest_ns
    )


def _price_cell(cost: Cost) -> str:
    mark = OVERLAPPING if cost.within else ""
    if cost.holds_waiting:
        return WAITING + mark
    return _priced(cost)[1] + (DAGGER if cost.benchmark_ns else MARKS[cost.origin]) + mark


def _priced(cost: Cost) -> tuple[float, str]:
    """Count and price in the median execution; if it has none, in the slowest 1 %."""
    if cost.count_median == 0 and cost.count_slowest > 0:
        each = cost.ns_slowest / cost.count_slowest
        return cost.count_slowest, price(each, cost.name)
    return cost.count_median, price(cost.ns_each, cost.name)


def _explained(cause: Cause) -> str:
    if cause.slowest >= CERTAIN:
        return f"{_percent(cause.slowest)[0]} of the slowest 1 % beyond the median"
    if cause.variance >= CERTAIN:
        return f"{_percent(cause.variance)[0]} of the variance"
    if cause.usual >= CERTAIN:
        return f"{_percent(cause.usual)[0]} of the variance of all but the slowest 1 %"
    return f"{_percent(cause.undisturbed)[0]} of the variance of executions without a switch"


def _of(ns: float, whole: float, what: str) -> str:
    """``607 µs of 930 µs in the median (65 %)``."""
    share = f" ({_percent(ns / whole)[0]})" if whole > 0 else ""
    return f"{units.time(ns)} of {units.time(whole)} in the {what}{share}"


def _part(ns: float, whole: float) -> str:
    """``607 µs 65 %``."""
    return units.time(ns) + (f" {_percent(ns / whole)[0]}" if whole > 0 else "")


def _count(count: float) -> str:
    return f"{count:,.0f}" if count >= 100 else units.significant(count)


def _percent(*shares: float) -> list[str]:
    return [f"{100 * share:.0f} %" for share in shares]
