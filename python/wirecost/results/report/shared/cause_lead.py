# SPDX-License-Identifier: Apache-2.0
"""The sentence above a report of sections: what costs most, and what to do if little is known."""

from __future__ import annotations

from wirecost.results.analysis.causes import Cost, Explanation, Origin
from wirecost.results.analysis.causes.kinds import is_duration, kind_of
from wirecost.results.report.shared import units

MOST = 0.5
"""Unexplained share of the time from which the sentence says how to learn more."""
OF_MEMORY = ("miss", "instruction", "cycle")
"""Units of the counters that show memory access."""
SMALL = 0.05
"""A share of the time that comes second."""
CLEARLY = 1.5
"""Times its share of the median, a cost's share of the slowest executions is worth saying."""
ROUNDING = 0.02
"""Within it, price times count is the time that is written beside them."""


def cause_lead(explanations: list[Explanation], order: list[str]) -> str | None:
    """Explain the first section in ``order`` that has causes, else the first that was examined.

    It is None where all have too few executions.
    """
    by_section = {explanation.section: explanation for explanation in explanations}
    in_order = [by_section[section] for section in order if section in by_section]
    chosen = next(
        (explanation for explanation in in_order if explanation.costs), next(iter(in_order), None)
    )
    if chosen is None:
        return None
    parts = [*(_largest(chosen, cost) for cost in chosen.costs[:1]), _unexplained(chosen)]
    if (
        chosen.costs
        and max(_of_median(chosen, chosen.costs[0]), _of_slowest(chosen, chosen.costs[0])) < SMALL
    ):
        parts.reverse()
    return " ".join(filter(None, parts)) or None


def _largest(explanation: Explanation, cost: Cost) -> str:
    """Return ``filter: minor faults: 120 × 400 ns = 48.0 µs of 180 µs in the median execution``."""
    tail = _of_slowest(explanation, cost) > CLEARLY * _of_median(explanation, cost)
    ns, whole = (
        (cost.ns_slowest, explanation.slowest_ns)
        if tail
        else (cost.ns_median, explanation.median_ns)
    )
    count = cost.count_slowest if tail else cost.count_median
    text = f"{explanation.section}: {_shown(cost.name)}: "
    each = cost.ns_each if not tail else ns / count if count > 0 else 0.0
    if (
        not is_duration(cost.name)
        and not cost.holds_waiting
        and ns > 0
        and abs(each * count / ns - 1) <= ROUNDING
    ):
        number = f"{count:,.0f}" if count >= 100 else units.significant(count)
        text += f"{number} × {units.time(each)} = "
    text += f"{units.time(ns)} of {units.time(whole)}"
    text += f" in {'the slowest 1 %' if tail else 'the median execution'}"
    text += f" ({100 * _share(ns, whole):.0f} %)"
    if cost.origin is Origin.MACHINE:
        text += ", at the price that a benchmark measured on this machine"
    if cost.holds_waiting:
        return f"{text} go along with them: {cost.advice}."
    return f"{text}. To reduce it: {cost.advice}."


def _unexplained(explanation: Explanation) -> str | None:
    """Return what to do next where most of the time is none of the counters'."""
    rest = _share(explanation.rest_median_ns, explanation.median_ns)
    if rest < MOST:
        return None
    of_section = "" if explanation.costs else f" of {explanation.section}"
    text = (
        f"{units.time(explanation.rest_median_ns)} of {units.time(explanation.median_ns)} "
        f"({100 * rest:.0f} %) of the median execution{of_section} is explained by no "
        "counter: it is the section's own computation, or what was not counted. To see which part "
        "of it, add sections inside, or time its functions with wirecost probe run --function NAME"
    )
    if memory := [name for name in explanation.absent if kind_of(name).unit in OF_MEMORY]:
        names = ", ".join(_shown(name) for name in memory)
        text += (
            f"; memory access could not be judged, because {names} cannot be read on this machine "
            "(wirecost doctor)"
        )
    return f"{text}."


def _of_median(explanation: Explanation, cost: Cost) -> float:
    return _share(cost.ns_median, explanation.median_ns)


def _of_slowest(explanation: Explanation, cost: Cost) -> float:
    return _share(cost.ns_slowest, explanation.slowest_ns)


def _shown(name: str) -> str:
    """Return ``minor-faults`` as words."""
    return name.replace("-", " ") if name.islower() else name


def _share(ns: float, whole: float) -> float:
    return ns / whole if whole > 0 else 0.0
