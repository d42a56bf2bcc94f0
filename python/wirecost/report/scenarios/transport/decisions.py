# SPDX-License-Identifier: Apache-2.0
"""Transports by what they are needed for; each tick leads to its measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirecost.analysis.transport.measured import Measured, failed
from wirecost.analysis.transport.needs import TAIL, Need, Verdict, needs, verdicts
from wirecost.report.scenarios.transport.measurements import NONE, mark
from wirecost.report.shared import units
from wirecost.report.shared.table import Linked, Table

TICK, CROSS, UNPROMISED = "✓", "✗", "○"
FAILS = f"{CROSS} fails"
NOT_MEASURED = Verdict(None)


def decision_table(meta: dict[str, Any], found: Sequence[Measured]) -> Table | None:
    """None where a single transport was measured. One that failed in a case of a need fails it."""
    transports = list(dict.fromkeys((run["mware"], run["client"]) for run in meta["runs"]))
    if len(transports) < 2 or not found:
        return None
    asked, without = needs(lossy(meta)), failed(meta["runs"])
    judged = [(need, verdicts(found, need, without)) for need in asked]
    shown = [(need, of) for need, of in judged if any(v.evidence or v.failed for v in of.values())]
    clients = {client for _, client in transports}
    body = []
    for mware, client in transports:
        cells = []
        for need, of in shown:
            verdict = of.get((mware, client), NOT_MEASURED)
            cells.append(FAILS if verdict.failed else _cell(need, verdict))
        body.append([mware if len(clients) == 1 else f"{mware} {client}", *cells])
    left_out = [need for need, _ in judged if need not in [one for one, _ in shown]]
    several = len({one.size for one in found}) > 1
    notes = [
        f"{TICK} good, {CROSS} not, {NONE} not measured; of each transport the best group of"
        " settings counts.",
        *(f"{need.title}: {_rule(need, several)}." for need, _ in shown),
    ]
    if any(UNPROMISED in row[1:] for row in body):
        notes.append(f"{UNPROMISED} all arrived, but only with settings that do not promise it.")
    if any("tail" in need.about for need, _ in shown):
        notes.append(TAIL)
    if left_out:
        lacks = ", ".join(f"{need.title} ({need.asks})" for need in left_out)
        notes.append(f"This run does not tell: {lacks}.")
    return Table(
        "Which transport for what", ["transport", *(need.title for need, _ in shown)], body, notes
    )


def _rule(need: Need, several_sizes: bool) -> str:
    return f"{need.about}, {need.scope}" if several_sizes and need.scope else need.about


def lossy(meta: dict[str, Any]) -> list[str]:
    """Networks that lose packets, or all of them for a while."""
    return [
        name
        for name, about in meta["networks"].items()
        if about.get("loss_percent") or about.get("cut_s")
    ]


def _cell(need: Need, verdict: Verdict) -> str:
    one = verdict.evidence
    if one is None or verdict.met is None:
        return NONE
    if not need.holds(one):
        return Linked(f"{CROSS} {_first_flaw(one)}", mark(one))
    if need.promised:
        return Linked(TICK if verdict.met else UNPROMISED, mark(one))
    value = need.value(one)
    text = "" if value is None else f" {units.time(value)}"
    if one.refused:
        text += ", refuses"
    return Linked(f"{TICK if verdict.met else CROSS}{text}", mark(one))


def _first_flaw(one: Measured) -> str:
    """In one word."""
    flaws = {"loses": one.lost + one.lost_before, "refuses": one.refused, "doubles": one.duplicates}
    return next((word for word, count in flaws.items() if count), _rest(one))


def _rest(one: Measured) -> str:
    return "reorders" if one.reordered else "rate not kept"
