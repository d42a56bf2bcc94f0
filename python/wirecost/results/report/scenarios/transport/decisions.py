# SPDX-License-Identifier: Apache-2.0
"""Transports by what they are needed for; each tick leads to its measurement."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.results.analysis.transport.measured_transport import MeasuredTransport, failed
from wirecost.results.analysis.transport.needs import TAIL, Need, Verdict, needs, verdicts
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.report.scenarios.transport.tables import mark
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Linked, Table
from wirecost.results.report.shared.units import NONE

TICK, CROSS, UNPROMISED = "✓", "✗", "○"
FAILS = f"{CROSS} fails"
ALWAYS = 3
"""Needs whose columns the narrowest terminal shows, too."""
NOT_MEASURED = Verdict(None)


def decision_table(meta: TransportMeta, found: Sequence[MeasuredTransport]) -> Table | None:
    """Return transports by need.

    It is None where a single one was measured. One that failed in a case of a need fails it.
    """
    runs = [run for run in meta.runs if not run.is_floor]
    transports = list(dict.fromkeys((run.mware, run.client) for run in runs))
    if len(transports) < 2 or not found:
        return None
    without = failed(runs)
    judged = {need: verdicts(found, need, without) for need in needs(lossy(meta))}
    by_need = {
        need: of for need, of in judged.items() if any(v.evidence or v.failed for v in of.values())
    }
    has_clients = len({client for _, client in transports}) > 1
    table = Table.matrix(
        "Which middleware for what",
        "middleware",
        [
            (f"{name} {client}" if has_clients else name, (name, client))
            for name, client in transports
        ],
        [(need.title, need) for need in by_need],
        lambda transport, need: _cell(need, by_need[need].get(transport, NOT_MEASURED)),
        optional=[need.title for need in reversed(list(by_need)[ALWAYS:])],
    )
    several_sizes = len({case.size for case in found}) > 1
    table.notes.append(
        f"{TICK} good, 1.5 × the least: less good, {CROSS} not, {NONE} not measured; of each "
        "middleware the best group of settings counts."
    )
    table.notes.extend(f"{need.title}: {_rule(need, several_sizes)}." for need in by_need)
    if any(UNPROMISED in cells[1:] for cells in table.rows):
        table.notes.append(
            f"{UNPROMISED} all arrived, but only with settings that do not promise it."
        )
    if any("tail" in need.about for need in by_need):
        table.notes.append(TAIL)
    if lacks := [need for need in judged if need not in by_need and not need.is_moot(found)]:
        titles = ", ".join(f"“{need.title}”" for need in lacks)
        asks = ", ".join(need.asks for need in lacks)
        table.notes.append(f"This run cannot judge {titles}; that needs {asks}.")
    return table


def _rule(need: Need, several_sizes: bool) -> str:
    return f"{need.about}, {need.scope}" if several_sizes and need.scope else need.about


def lossy(meta: TransportMeta) -> list[str]:
    """Return networks that lose packets, or all of them for a while."""
    return [
        name
        for name, about in meta.networks.items()
        if about.get("loss_percent") or about.get("cut_s")
    ]


def _cell(need: Need, verdict: Verdict) -> str:
    evidence = verdict.evidence
    if verdict.failed:
        return FAILS
    if evidence is None or verdict.met is None:
        return NONE
    if not need.holds(evidence):
        return Linked(f"{CROSS} {_first_flaw(evidence)}", mark(evidence))
    if need.promised:
        return Linked(_promised(verdict), mark(evidence))
    text = _value(need.value(evidence), verdict)
    if evidence.run.refused:
        text += ", refuses"
    return Linked(text, mark(evidence))


def _promised(verdict: Verdict) -> str:
    if not verdict.met:
        return UNPROMISED
    parts = [f"{TICK} {', '.join(verdict.only)}" if verdict.only else TICK]
    return "; ".join([*parts, *map(_unpromised, verdict.others)])


def _unpromised(case: MeasuredTransport) -> str:
    """Say of other settings what was lost, or that the loss of nothing was luck."""
    if case.all_lost:
        return f"{case.who.settings} lost {case.all_lost:,}"
    what = "no promise" if case.delivers else _first_flaw(case)
    return f"{case.who.settings}: {what}"


def _value(value: float | None, verdict: Verdict) -> str:
    """Return a number, with its quotient to the least one where that is too much."""
    if verdict.met:
        return TICK if value is None else f"{TICK} {units.time(value)}"
    text = CROSS if value is None else units.time(value)
    return text if verdict.factor is None else f"{text}, {units.two_digits(verdict.factor)} ×"


def _first_flaw(case: MeasuredTransport) -> str:
    """Name in one word what went wrong."""
    run = case.run
    flaws = {
        "loses": case.all_lost,
        "refuses": run.refused,
        "doubles": run.duplicates,
    }
    return next((word for word, count in flaws.items() if count), _rest(case))


def _rest(case: MeasuredTransport) -> str:
    return "reorders" if case.run.reordered else "rate not kept"
