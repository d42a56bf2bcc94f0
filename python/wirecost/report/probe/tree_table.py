# SPDX-License-Identifier: Apache-2.0
"""Sections inside sections as a table."""

from __future__ import annotations

from wirecost.analysis.probe_tree import Node
from wirecost.report.shared import units
from wirecost.report.shared.table import Amount, Table

TITLE = "Where the time goes"
INSIDE = "· "
"""Before a section's name, once for each section around it."""


def tree_table(nodes: list[Node]) -> Table | None:
    """One row a section at its place; None where no section is inside another."""
    if not nodes:
        return None
    body = [
        [
            INSIDE * node.level + node.section,
            f"{node.calls:,} in all" if node.parent_calls is None else _per(node),
            units.time(node.ns / (node.parent_calls or node.calls)),
            _share(node),
            f"{units.time(node.self_ns)} {100 * node.self_share:.0f} %",
        ]
        for node in nodes
    ]
    notes = [
        "calls, time: mean for each call of the section above",
        "itself: of a call, without the sections inside it",
    ]
    headings = ["section", "calls", "time", "share", "itself"]
    return Table(TITLE, headings, body, notes, bars=("share",))


def _share(node: Node) -> str:
    if not node.parent_ns:
        return ""
    share = node.ns / node.parent_ns
    return Amount(f"{100 * share:.0f} %", share)


def _per(node: Node) -> str:
    return f"{units.significant(node.calls / max(1, node.parent_calls or 1))} per call"
