# SPDX-License-Identifier: Apache-2.0
"""What to take for what was asked, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from wirecost.analysis.transport.measured import Measured, Where
from wirecost.analysis.transport.recommendation import Choice, choices
from wirecost.report.scenarios.transport.measurements import name
from wirecost.report.shared import units


def lead(meta: dict[str, Any], found: Sequence[Measured]) -> str | None:
    made = choices(found)
    if not made:
        return None
    parts = []
    for where, of in groupby(made, key=lambda one: one.where):
        several = [list(same) for _, same in groupby(of, key=_taken)]
        parts += [_sentence(where, same) for same in several]
    broken = [run for run in meta["runs"] if run["broken"]]
    if broken:
        many = "promise" if len(broken) == 1 else "promises"
        who = ", ".join(dict.fromkeys(f"{run['mware']} {run['mode']}" for run in broken))
        parts.append(f"{len(broken)} {many} of no loss did not hold ({who}); see below.")
    return " ".join(parts)


def _taken(choice: Choice) -> tuple[str, bool]:
    return name(choice.taken), choice.lossless


def _sentence(where: Where, same: list[Choice]) -> str:
    """For neighbouring sizes with the same answer."""
    first, last = same[0], same[-1]
    sizes = units.size(first.size)
    if last is not first:
        sizes += f" to {units.size(last.size)}"
    rate = f"{first.taken.asked_rate:g}"
    if last.taken.asked_rate != first.taken.asked_rate:
        rate += f" to {last.taken.asked_rate:g}"
    rates = f"at {rate} Hz" if first.taken.asked_rate else "as fast as possible"
    asked = f"For {sizes} {rates}, {_whom(where)}"
    if not first.lossless:
        flaws = "; ".join(first.taken.flaws)
        return (
            f"{asked}, nothing delivered every message; {name(first.taken)} came nearest ({flaws})."
        )
    ends = [first] if last is first else [first, last]
    times = " to ".join(units.time(one.taken.p50_ns) for one in ends)
    text = f"{asked}, take {name(first.taken)}: median {times}"
    if all(one.taken.has_tail for one in ends):
        text += f", p99 {' to '.join(units.time(one.taken.p99_ns) for one in ends)}"
    if (cost := first.taken.cost_ns) is not None:
        text += f", {units.time(cost)} of processor time per message"
    cheaper = first.cheapest
    if cheaper is None or cheaper.cost_ns is None or cost is None:
        return text + "."
    # One that delivers at some of the sizes only is no advice for all.
    if all(cheaper.who in one.able for one in same):
        text += f" ({name(cheaper)}: {units.time(cheaper.cost_ns)}"
        text += f", p99 {units.time(cheaper.p99_ns)})" if cheaper.has_tail else ")"
    return text + "."


def _whom(where: Where) -> str:
    if where.pattern == "reqrep":
        to = "requests"
    else:
        to = f"{where.subscribers} subscriber{'' if where.subscribers == 1 else 's'}"
    on = "on loopback" if where.network == "loopback" else f"over network {where.network}"
    return f"{to} {on}"
