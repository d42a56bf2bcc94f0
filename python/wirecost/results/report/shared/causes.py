# SPDX-License-Identifier: Apache-2.0
"""Causes of sections' times: as a table, and in a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirecost.results.analysis.causes import Cause, Cost, Explanation, Origin
from wirecost.results.analysis.causes.costs import FAR
from wirecost.results.analysis.causes.kinds import INPUT, is_duration, kind_of
from wirecost.results.analysis.probe_tree import Node, inside
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table

COUNTED = "minor-faults,run-queue-wait-ns,blocked-ns"
NEXT = f"WIRECOST_PROBE_COUNTERS={COUNTED}"
"""Fits a line of 80 columns, lest it is broken where it is copied."""
MUCH = 0.2
"""Share of the time from which on what is unexplained, or its own code's, gets a sentence."""
NEARLY = 0.9
"""Share of what no counter explains that must be processor time to say so: clocks are read one
after another."""
COVERED = 0.5
"""Share of a section's time from which on the sections inside it show where it goes."""
SMALL, SMALL_TAIL = 0.01, 0.05
"""Shares of the outermost section, of all its time and of its slowest executions, below which a
section inside it gets no advice."""
LISTED = 3
"""Sections of which nothing explains the time."""
CERTAIN = 0.05
ROUNDED = 1.005
NONE, DAGGER, OVERLAPPING = "–", " †", " ‡"
WAITING = "with waiting"
"""Text in place of a price."""
MARKS = {Origin.REGRESSION: "", Origin.MACHINE: " *", Origin.ITSELF: ""}


def cause_table(explanations: list[Explanation]) -> Table | None:
    """Return the costs of each section, ranked; None where nothing explains any."""
    explained = [
        explanation for explanation in explanations if explanation.costs or explanation.steady
    ]
    if not explained:
        return None
    headings = ["section", "time follows", "of the median", "of the slowest 1 %", "cost"]
    headings += ["variance", "other 99 %", "alone"]
    body = [cells for explanation in explained for cells in _rows(explanation)]
    bars = (("of the median", "of the slowest 1 %"),)
    return Table(
        "Causes", headings, body, _notes(explained), ("alone", "other 99 %", "variance"), bars
    )


def _rows(explanation: Explanation) -> Iterator[list[str]]:
    for cost in explanation.costs:
        cause = explanation.cause(cost.name)
        shares = _percent(cause.variance, cause.usual, cause.alone) if cause else [""] * 3
        parts = (
            _part(cost.ns_median, explanation.median_ns),
            _part(cost.ns_slowest, explanation.slowest_ns),
        )
        yield [explanation.section, cost.name, *parts, _price_cell(cost), *shares]
    for steady in explanation.steady:
        count = f"{_count(steady.each)} without a cost"
        yield [explanation.section, steady.name, NONE, NONE, count, "", "", ""]
    rest = (
        _part(explanation.rest_median_ns, explanation.median_ns),
        _part(explanation.rest_slowest_ns, explanation.slowest_ns),
    )
    yield [
        explanation.section,
        "unexplained",
        *rest,
        "",
        *_percent(explanation.unexplained_variance),
        "",
        "",
    ]


def sentences(explanation: Explanation, nodes: Sequence[Node] = ()) -> list[str]:
    """Return a sentence for each cost and for the section's own processor time, the largest first.

    Then follow what is steady, and what is unexplained. ``nodes``: the sections inside sections.
    """
    texts = [_sentence(explanation, cost) for cost in explanation.costs]
    if own := own_time(explanation, nodes):
        texts.insert(
            sum(cost.ns_median > explanation.rest_median_ns for cost in explanation.costs), own
        )
    texts += [
        f"{_count(steady.each)} {steady.name} in the median execution, nearly constant, so "
        f"regression cannot tell what they cost; {steady.advice}, then compare"
        for steady in explanation.steady
    ]
    if _is_unexplained(explanation):
        of_slowest = explanation.unexplained_slowest >= explanation.unexplained_variance
        whole = "slowest 1 %" if of_slowest else "variance"
        share = max(explanation.unexplained_slowest, explanation.unexplained_variance)
        (percent,) = _percent(share)
        verb = "is" if percent == "1 %" else "are"
        lacking = f"; not counted: {', '.join(explanation.absent)}" if explanation.absent else ""
        texts.append(f"{percent} of the {whole} {verb} unexplained{lacking}")
    return [f"{explanation.section}: {text}" for text in texts]


def all_sentences(explanations: list[Explanation], nodes: Sequence[Node] = ()) -> list[str]:
    """Return the sentences of each section, and one for all of which nothing else is known.

    ``nodes``: the sections inside sections.
    """
    texts: list[str] = []
    unknown: list[Explanation] = []
    for explanation in explanations:
        of_section = sentences(explanation, nodes)
        has_reason = explanation.costs or explanation.steady
        if len(of_section) == 1 and not has_reason and _is_unexplained(explanation):
            unknown.append(explanation)
        else:
            texts += of_section
    if len(unknown) == 1:
        return texts + sentences(unknown[0], nodes)
    if unknown:
        more = f" and {len(unknown) - LISTED} more" if len(unknown) > LISTED else ""
        names = ", ".join(explanation.section for explanation in unknown[:LISTED])
        absent = dict.fromkeys(name for explanation in unknown for name in explanation.absent)
        lacking = f"; not counted: {', '.join(absent)}" if absent else ""
        texts.append(f"{names}{more}: no counter explains their time{lacking}")
    return texts


def own_time(explanation: Explanation, nodes: Sequence[Node]) -> str | None:
    """Return ``35.3 ms of 77.9 ms in the median (45 %) are … processor time …``.

    It is None where that is little or is not known to be processor time. ``nodes``: the sections
    inside sections.
    """
    rest, whole = explanation.rest_median_ns, explanation.median_ns
    if whole <= 0 or rest < MUCH * whole:
        return None
    if explanation.processor_median_ns is not None:
        if explanation.processor_median_ns < NEARLY * rest:
            return None
        evidence = f"a clock of it counted {units.time(explanation.processor_median_ns)}"
    elif explanation.waits_counted:
        evidence = "waiting and blocked time were counted apart"
    else:
        return None
    return (
        f"{units.time(rest)} of {units.time(whole)} in the median ({100 * rest / whole:.0f} %) "
        f"are this code's own CPU time ({evidence}): {_where_next(explanation.section, nodes)}"
    )


def _where_next(section: str, nodes: Sequence[Node]) -> str:
    """Say where most of a section's own time is, or how to learn that."""
    around = next((node for node in nodes if node.section == section), None)
    within = inside(nodes, section)
    total = sum(node.self_ns * node.calls for node in within)
    if around is None or not within or total < COVERED * around.ns:
        return (
            "put sections around its parts, or time the functions that it calls: "
            "wirecost probe run --function NAME"
        )
    largest = max(within, key=lambda node: node.self_ns * node.calls)
    share = largest.self_ns * largest.calls / around.ns
    return (
        f"of the sections inside, {largest.section} takes the most by itself ({100 * share:.0f} % "
        f"of {section}); see there"
    )


def _is_unexplained(explanation: Explanation) -> bool:
    return max(explanation.unexplained_slowest, explanation.unexplained_variance) > MUCH


def worth_advice(
    explanations: Sequence[Explanation], nodes: Sequence[Node]
) -> tuple[list[Explanation], list[str]]:
    """Return those to explain, and a line about sections too small for advice, if there are any.

    ``nodes``: sections inside sections.
    """
    slowest = {explanation.section: explanation.slowest_ns for explanation in explanations}
    shares: dict[str, float] = {}
    around = None
    for node in nodes:
        if node.level == 0:
            around = node
        elif around is not None and around.ns > 0:
            shares[node.section] = shares.get(node.section, 0.0) + node.ns / around.ns
            if slowest.get(node.section, 0.0) > SMALL_TAIL * slowest.get(around.section, 0.0):
                shares[node.section] = 1.0
    small = [
        explanation.section
        for explanation in explanations
        if shares.get(explanation.section, 1.0) < SMALL
    ]
    if not small:
        return list(explanations), []
    text = (
        f"Without advice, being less than {100 * SMALL:.0f} % of the section around: "
        f"{', '.join(f'{name} ({100 * shares[name]:.2g} %)' for name in small)}; their causes are "
        "in --json"
    )
    return [explanation for explanation in explanations if explanation.section not in small], [text]


def record_next(explanations: list[Explanation]) -> str | None:
    """Say what to record where waiting may be the reason and was not counted."""
    unseen = [
        explanation.section
        for explanation in explanations
        if explanation.waits_uncounted
        and (
            _is_unexplained(explanation)
            or any(cost.benchmark_ns or cost.holds_waiting for cost in explanation.costs)
        )
    ]
    if not unseen:
        return None
    return (
        "Time waiting for a CPU was not counted "
        f"({', '.join(unseen[:3])}{', …' if len(unseen) > 3 else ''}). Run it again with {NEXT} "
        "(it adds about 3 µs to a section)"
    )


def price(ns: float, name: str) -> str:
    """Return ``0.25 µs per fault``, what one more costs; of a time, what it is."""
    if is_duration(name):
        return "time itself"
    text = units.time(ns) if abs(ns) >= 0.01 else f"{ns:.2g} ns"
    return f"{text} per {kind_of(name).unit}"


def _notes(explanations: list[Explanation]) -> list[str]:
    costs = [cost for explanation in explanations for cost in explanation.costs]
    notes = {
        "of the median, of the slowest 1 %: cost times count in the median execution; on "
        "average in the slowest 1 %": True,
        "variance: the share of the variance of all executions": True,
        "other 99 %: the share of the variance of the faster 99 %": True,
        "alone: the share that no other number explains": True,
        f"{WAITING}: no switch or migration itself takes as long, so this is mostly "
        "time waiting for a CPU, which was not counted": any(cost.holds_waiting for cost in costs),
        "‡: may be part of another row's time, so these rows are not to be added; what is "
        "unexplained counts it once": any(cost.within for cost in costs),
        "*: cost measured by a benchmark on this machine, where the executions show none": any(
            cost.origin is Origin.MACHINE for cost in costs
        ),
        f"†: more than {FAR:.0f} times the cost that a benchmark measured on this "
        "machine: the cost of something that comes with it": any(
            cost.benchmark_ns for cost in costs
        ),
        "Costs are estimates, so parts may add to a little more than 100 %": any(
            map(_beyond, explanations)
        ),
        f"{INPUT} is the number that the program recorded with the section": any(
            cost.name == INPUT for cost in costs
        ),
    }
    return [note for note, holds in notes.items() if holds]


def _sentence(explanation: Explanation, cost: Cost) -> str:
    s = "s" if cost.name == INPUT or is_duration(cost.name) else ""
    amounts = (
        f"{_of(cost.ns_median, explanation.median_ns, 'median')}, "
        f"{_of(cost.ns_slowest, explanation.slowest_ns, 'slowest 1 %')}"
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
    cause = explanation.cause(cost.name)
    if cause is None:
        return f"{text}; {cost.advice}"
    text += f"; explain{s} {_explained(cause)}"
    if cause.power is not None:
        text += f", growing with its power of {cause.power:g}"
    if cost.benchmark_ns:
        text += (
            f"; a benchmark on this machine measured {units.time(cost.benchmark_ns)}, so the cost "
            "is that of something that comes with it"
        )
    text += f"; {cause.advice}"
    if cause.rivals:
        text += f" (cannot be distinguished from {' and '.join(cause.rivals)})"
    return text


def _beyond(explanation: Explanation) -> bool:
    counted = [cost for cost in explanation.costs if cost.within is None]
    return (
        sum(cost.ns_median for cost in counted) > ROUNDED * explanation.median_ns
        or sum(cost.ns_slowest for cost in counted) > ROUNDED * explanation.slowest_ns
    )


def _price_cell(cost: Cost) -> str:
    mark = OVERLAPPING if cost.within else ""
    if cost.holds_waiting:
        return WAITING + mark
    return _priced(cost)[1] + (DAGGER if cost.benchmark_ns else MARKS[cost.origin]) + mark


def _priced(cost: Cost) -> tuple[float, str]:
    """Return count and price in the median execution; if it has none, in the slowest 1 %."""
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
    """Return ``607 µs of 930 µs in the median (65 %)``."""
    share = f" ({_percent(ns / whole)[0]})" if whole > 0 else ""
    return f"{units.time(ns)} of {units.time(whole)} in the {what}{share}"


def _part(ns: float, whole: float) -> str:
    """Return ``607 µs 65 %``."""
    return units.time(ns) + (f" {_percent(ns / whole)[0]}" if whole > 0 else "")


def _count(count: float) -> str:
    return f"{count:,.0f}" if count >= 100 else units.significant(count)


def _percent(*shares: float) -> list[str]:
    return [f"{100 * share:.0f} %" for share in shares]
