# SPDX-License-Identifier: Apache-2.0
"""Chains as tables and as a JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wirecost.results.analysis.chains.hops import ORDER, STAMP
from wirecost.results.analysis.chains.joins import FILTER, LAST_INPUT, STAMPED
from wirecost.results.analysis.chains.latency import Latency, Miss, PartSummary
from wirecost.results.analysis.chains.listed import KEPT, TAKES, Join, Listed, ListedChain
from wirecost.results.analysis.chains.walk import Chain
from wirecost.results.analysis.ros_names import shown_names
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

UNKNOWN = {
    "transport": "no probe sees inside",
    "queue wait": "its thread ran nothing recorded: woken late",
    "between": "its thread ran nothing recorded: woken late",
    "section": "no counter accounts for it",
    "callback": "no counter accounts for it",
    "kept": "it waited for the next callback",
    "publish": "no counter accounts for it",
}
LISTED = 20
"""Misses in the table; the JSON document has all."""
CHAINS_LISTED = 8
PARTS_FIRST = 6
RULES = {
    ORDER: "the last message before, because nothing recorded identifies it",
    STAMP: "the last message published before the source time stamp",
    LAST_INPUT: "the last message that a callback kept that publishes nothing",
    FILTER: "the last message that was kept without publishing, as by a message filter",
    STAMPED: "the same header stamp",
    "message_link_periodic_async": "reported by the program",
    "message_link_partial_sync": "reported by the program",
}


def list_table(found: Listed, deadline_ns: float | None, *, every: bool = False) -> Table:
    """Return a row for each chain. ``every``: all of them and all that joined them."""
    listed = found.chains if every else found.chains[:CHAINS_LISTED]
    columns: list[Column[ListedChain]] = [
        Column("chain", lambda chain: chain.name),
        Column("count", lambda chain: f"{chain.count:,}"),
        Column("median", lambda chain: units.time(chain.median_ns)),
        Column("worst", lambda chain: units.time(chain.maximum_ns)),
        Column("misses", lambda chain: units.amount(chain.misses), shown=deadline_ns is not None),
    ]
    notes = _rule_notes([join for chain in listed for join in chain.joins])
    notes += left_out_notes(found.left_out, joins_left_out=found.joins_left_out)
    if len(listed) < len(found.chains):
        notes.append(f"{len(found.chains) - len(listed):,} shorter chains: --all")
    if deadline_ns is not None:
        notes.append(f"Misses took longer than {units.time(deadline_ns)}")
    notes.append("To see where the time goes: wirecost probe chain … --from FIRST --to LAST")
    return Table.of("Chains, the longest first", listed, columns, notes)


def left_out_notes(left_out: int, *, joins_left_out: bool) -> list[str]:
    """Say what was not followed."""
    notes = []
    if left_out:
        notes.append(f"{left_out:,} times a path was not followed: too many or too long")
    if joins_left_out:
        notes.append("Not all callbacks of a node were compared: it has too many")
    return notes


def _rule_notes(joins: list[Join]) -> list[str]:
    """Say which rule joined what; what follows from recorded identities alone needs no word."""
    notes = []
    for rule, text in RULES.items():
        places = dict.fromkeys(f"{join.into} of {join.node}" for join in joins if join.rule == rule)
        if places:
            mark = TAKES if rule in (ORDER, STAMP) else KEPT
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            notes.append(f"{mark} {', '.join(list(places)[:3])}{more}: {rule}, {text}")
    return notes


def list_document(found: Listed, deadline_ns: float | None) -> dict[str, object]:
    """Return what ``--json`` writes of all chains. Times in nanoseconds."""
    return {
        "deadline_ns": deadline_ns,
        "left_out": found.left_out,
        "chains": [
            {
                "from": chain.first,
                "to": chain.last,
                "path": [{"kept" if mark == KEPT else "taken": what} for mark, what in chain.path],
                "joins": [
                    {"node": join.node, "into": join.into, "rule": join.rule}
                    for join in chain.joins
                ],
                "count": chain.count,
                "median_ns": chain.median_ns,
                "max_ns": chain.maximum_ns,
                "deadline_misses": chain.misses,
            }
            for chain in found.chains
        ],
    }


def chain_answer(found: Latency, chains: Sequence[Chain], first: str, last: str) -> Answer:
    """Return how long chains took, the parts that take most of it, and why deadlines are missed."""
    median = units.time(found.percentiles_ns[50.0])
    answer = (
        f"{counted(found.count, 'chain')} from {first} to {last} took {median} at the median, "
        f"{units.time(found.maximum_ns)} at the most"
    )
    if found.deadline_ns is not None:
        answer += f"; {len(found.misses):,} took longer than {units.time(found.deadline_ns)}"
    largest = sorted(found.parts, key=lambda part: -part.median_ns)[:PARTS_FIRST]
    shortened = replace(found, parts=[part for part in found.parts if part in largest])
    table = (
        replace(_part_table(shortened), title="Parts that take most, in order") if largest else None
    )
    causes = Counter(f"{miss.part.name}: {why_kind(miss)}" for miss in found.misses)
    steps = [f"{count:,} of the misses: {cause}" for cause, count in causes.most_common(3)]
    return Answer(
        f"{answer}.",
        table or _latency_table(found, first, last),
        steps,
        more="--all prints every part and every miss, with its cause",
        sections=[Section(chain_tables(found, first, last))],
        heading=f"Chains {first} → {last}",
        figures=lambda on_paper: _figures(chains, on_paper),
        document=document(found, first, last),
    )


def list_answer(
    listing: Listed,
    limit_ns: float | None,
    longest: Latency | None,
    chains: Callable[[], Sequence[Chain]],
) -> Answer:
    """Return all chains, the longest first.

    ``longest``: the latency of the first one, where it is asked for; ``chains``: function that
    returns those that are drawn.
    """
    first = listing.chains[0]
    every = [list_table(listing, limit_ns, every=True)]
    if longest is not None:
        every += chain_tables(longest, first.first, first.last)
    return Answer(
        f"The longest chain is {first.name}: {units.time(first.median_ns)} in the median.",
        list_table(listing, limit_ns, every=False),
        sections=[Section(every)],
        heading="Chains of all topics",
        figures=lambda on_paper: _figures(chains(), on_paper),
        document=list_document(listing, limit_ns),
    )


def _figures(chains: Sequence[Chain], on_paper: bool) -> list[Figure]:
    from wirecost.results.report.chains.figures import chain_figures  # noqa: PLC0415 - a second to import

    return chain_figures(chains, on_paper)


def chain_tables(found: Latency, first: str, last: str) -> list[Table]:
    """Return how long chains took, in which parts, and the misses."""
    tables = [_latency_table(found, first, last)]
    if found.parts:
        tables.append(_part_table(found))
    if found.misses:
        tables.append(_miss_table(found))
    return tables


def _latency_table(found: Latency, first: str, last: str) -> Table:
    titles = [units.percentile_title(percent) for percent in found.percentiles_ns]
    times = map(units.time, (*found.percentiles_ns.values(), found.maximum_ns))
    headings = ["chain", "count", *titles, "max"]
    cells = [f"{first} → {last}", f"{found.count:,}", *times]
    has_sections = any(part.kind == "section" for part in found.parts)
    what = "executions" if has_sections else "messages"
    notes = [f"{found.without_output:,} of {found.inputs:,} {what} of {first} had no output"]
    if found.deadline_ns is not None:
        headings.append("misses")
        cells.append(f"{len(found.misses):,}")
        notes.append(f"Misses took longer than {units.time(found.deadline_ns)}")
    if found.unlinked and has_sections:
        notes.append(
            f"{counted(found.unlinked, 'execution')} of {last} without {first} of the loop"
        )
    elif found.unlinked:
        notes.append(
            f"{counted(found.unlinked, 'message')} of {last} published outside a callback that "
            "took a message, as by a timer: in no chain"
        )
    notes += left_out_notes(found.left_out, joins_left_out=False)
    if len(found.paths) > 1:
        notes.append(f"Chains took {len(found.paths)} paths; parts of all of them are listed")
    return Table("Chains", headings, [cells], notes, ("p99.9", "p95"))


def _part_table(found: Latency) -> Table:
    whole = found.percentiles_ns[50.0] or 0.0
    nodes_of = Counter(part.name for part in found.parts)
    names = shown_names(nodes_of)

    def name(part: PartSummary) -> str:
        return names[part.name] if nodes_of[part.name] == 1 else f"{names[part.name]} ({part.node})"

    def share(part: PartSummary) -> str:
        return f"{100 * part.median_ns / whole:.0f} %" if whole > 0 else units.NONE

    columns: list[Column[PartSummary]] = [
        Column("part", name),
        Column("median", lambda part: units.time(part.median_ns)),
        Column("share", share),
        Column("p99", lambda part: units.time(part.p99_ns), optional=1),
        Column("max", lambda part: units.time(part.maximum_ns)),
        Column("in misses", lambda part: units.time(part.missed_ns), shown=bool(found.misses)),
    ]
    notes = [
        "transport: from the start of publishing to receipt; queue wait: from receipt to the start "
        "of the callback; callback: from its start to the start of publishing"
    ]
    for rule, text in RULES.items():
        if joined := [names[part.name] for part in found.parts if part.rule == rule]:
            notes.append(f"{'; '.join(joined)}: {rule}, {text}")
    if any(part.kind == "section" for part in found.parts):
        notes = ["Executions with the same loop number belong together"]
    return Table.of("Parts of a chain, in order", found.parts, columns, notes)


def _miss_table(found: Latency) -> Table:
    begin = min(miss.chain.begin_ns for miss in found.misses)
    names = shown_names(miss.part.name for miss in found.misses)
    columns: list[Column[Miss]] = [
        Column("in", lambda miss: names[miss.part.name]),
        Column("at", lambda miss: f"{(miss.chain.begin_ns - begin) / 1e9:.3f} s"),
        Column("took", lambda miss: units.time(miss.chain.ns)),
        Column("excess", lambda miss: f"+{units.time(miss.excess_ns)}"),
        Column("because", why),
    ]
    notes = ["Times since the first miss; the part that exceeded its median most, and why"]
    if len(found.misses) > LISTED:
        notes.append(f"{len(found.misses) - LISTED:,} more, all of them in --json")
    return Table.of("Misses, the longest first", found.misses[:LISTED], columns, notes)


def why_kind(miss: Miss) -> str:
    """Return why a chain missed its deadline, without for how long."""
    return UNKNOWN[miss.part.kind] if miss.reason is None else miss.reason


def why(miss: Miss) -> str:
    if miss.reason is None:
        return UNKNOWN[miss.part.kind]
    return f"{miss.reason} for {units.time(miss.reason_ns)}"


def document(found: Latency, first: str, last: str) -> dict[str, object]:
    """Return what ``--json`` writes. Times in nanoseconds."""
    return {
        "from": first,
        "to": last,
        "count": found.count,
        "inputs": found.inputs,
        "without_output": found.without_output,
        "unlinked": found.unlinked,
        **{f"p{p:g}_ns": ns for p, ns in found.percentiles_ns.items()},
        "max_ns": found.maximum_ns,
        "deadline_ns": found.deadline_ns,
        "parts": [
            {
                "kind": part.kind,
                "name": part.name,
                "node": part.node,
                "count": part.count,
                "median_ns": part.median_ns,
                "p99_ns": part.p99_ns,
                "max_ns": part.maximum_ns,
                "in_misses_ns": part.missed_ns,
                "rule": part.rule,
            }
            for part in found.parts
        ],
        "paths": [{"parts": list(path), "count": count} for path, count in found.paths],
        "misses": [
            {
                "begin_ns": miss.chain.begin_ns,
                "ns": miss.chain.ns,
                "part": miss.part.name,
                "excess_ns": miss.excess_ns,
                "reason": miss.reason,
                "reason_ns": miss.reason_ns,
                "parts": [{"name": part.name, "ns": part.ns} for part in miss.chain.parts],
            }
            for miss in found.misses
        ],
    }
