# SPDX-License-Identifier: Apache-2.0
"""What the time of sections follows: as a table, and in a sentence a cause."""

from __future__ import annotations

from wirecost.analysis.causes import Cause, Explanation
from wirecost.analysis.counter_kinds import INPUT, kind_of
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

MUCH = 0.2
"""What is unexplained beyond this share gets a sentence."""
CERTAIN = 0.05


def cause_table(explanations: list[Explanation]) -> Table | None:
    """Causes of each section, ranked; none where there are too few executions."""
    if not explanations:
        return None
    body = []
    for one in explanations:
        for cause in one.causes:
            shares = _percent(cause.variance, cause.slowest, cause.usual, cause.alone)
            body.append([one.section, cause.name, *shares, price(cause.ns_each, cause.name)])
        rest = _percent(one.unexplained_variance, one.unexplained_slowest)
        body.append([one.section, "unexplained", *rest, "", "", ""])
    notes = [
        "Shares of the variance of all executions, of what the slowest 1 % took beyond the median, "
        "and of the variance of the others"
    ]
    if any(cause.name == INPUT for one in explanations for cause in one.causes):
        notes.append(f"{INPUT} is the number that the program recorded with the section")
    headings = ["section", "time follows", "variance", "slowest 1 %", "other 99 %", "alone"]
    return Table("Causes", [*headings, "price"], body, notes, ("alone", "other 99 %"))


def sentences(one: Explanation) -> list[str]:
    """A sentence a cause, the strongest first, what is steady, and what is unexplained."""
    found = [f"{one.section}: {_sentence(cause)}" for cause in one.causes]
    found += [
        f"{one.section}: {units.significant(steady.each)} {steady.name} in the median execution, "
        f"nearly constant, so regression cannot price them; {steady.advice}, then compare"
        for steady in one.steady
    ]
    unexplained = max(one.unexplained_slowest, one.unexplained_variance)
    if unexplained <= MUCH:
        return found
    if one.unexplained_slowest >= one.unexplained_variance:
        what = f"{_percent(one.unexplained_slowest)[0]} of the slowest 1 %"
    else:
        what = f"{_percent(one.unexplained_variance)[0]} of the variance"
    text = f"{one.section}: {what} {'is' if what.startswith('1 ') else 'are'} unexplained"
    if one.absent:
        text += f"; {', '.join(one.absent)} not available here"
    return [*found, text]


def price(ns: float, name: str) -> str:
    """``0.25 µs per fault``: what one more costs."""
    text = units.time(ns) if abs(ns) >= 0.01 else f"{ns:.2g} ns"
    return f"{text} per {kind_of(name).unit}"


def _sentence(cause: Cause) -> str:
    verb = "explains" if cause.name == INPUT else "explain"
    if cause.slowest >= CERTAIN:
        share = f"{_percent(cause.slowest)[0]} of the slowest 1 %"
    elif cause.variance >= CERTAIN:
        share = f"{_percent(cause.variance)[0]} of the variance"
    elif cause.usual >= CERTAIN:
        share = f"{_percent(cause.usual)[0]} of the variance of all but the slowest 1 %"
    else:
        share = f"{_percent(cause.undisturbed)[0]} of the variance of executions without a switch"
    text = f"{cause.name} {verb} {share}; {price(cause.ns_each, cause.name)}"
    if cause.power is not None:
        text += f", growing with its power of {cause.power:g}"
    text += f"; {cause.advice}"
    if cause.rivals:
        text += f" (cannot be distinguished from {' and '.join(cause.rivals)})"
    return text


def _percent(*shares: float) -> list[str]:
    return [f"{100 * share:.0f} %" for share in shares]
