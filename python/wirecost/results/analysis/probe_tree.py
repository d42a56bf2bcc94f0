# SPDX-License-Identifier: Apache-2.0
"""Sections inside sections: what part of a section's time its inner ones take, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

MOST_NODES, DEEPEST = 200, 32


@dataclass(frozen=True)
class Node:
    """A section at one place of the tree. Times are sums in nanoseconds."""

    section: str
    level: int
    """0: outermost."""
    calls: int
    """Calls from inside the section above it; of an outermost one, all."""
    ns: int
    parent_calls: int | None
    parent_ns: int | None
    """Time of all calls of the section above; None for an outermost one."""
    self_ns: float
    """Mean of a call of this section, wherever it was called, without the sections inside."""
    self_share: float


def inside(nodes: Sequence[Node], section: str) -> list[Node]:
    """Return all that is below a section, where ``tree`` shows it first."""
    at = next((i for i, node in enumerate(nodes) if node.section == section), len(nodes))
    inner = []
    for node in nodes[at + 1 :]:
        if node.level <= nodes[at].level:
            break
        inner.append(node)
    return inner


def tree(executed: pl.DataFrame) -> list[Node]:
    """Return each section above those inside it, the largest first.

    The executions are those of ``probe_sections.executions``. The list is empty where no section is
    inside another. A log has the name of the section around each execution, not the whole path. So
    what is inside a section with several sections around it is shown at the first place only.
    """
    sections = executed.filter(kind="section")
    if sections["parent"].null_count() == len(sections):
        return []
    sums = sections.group_by("parent", "section", maintain_order=True).agg(
        pl.len().alias("calls"), pl.col("ns").cast(pl.Float64).sum()
    )
    calls: dict[str, int] = {}
    ns: dict[str, float] = {}
    inside: dict[str | None, list[tuple[str, int, float]]] = {}
    for parent, section, count, total in sums.iter_rows():
        calls[section] = calls.get(section, 0) + count
        ns[section] = ns.get(section, 0.0) + total
        inside.setdefault(parent, []).append((section, count, total))
    # What is around has no execution where the program ended inside it, or where it was dropped.
    roots = [child for parent in inside if parent not in calls for child in inside[parent]]
    visited: set[str] = set()

    def walked(
        found: list[tuple[str, int, float]], parent: str | None, level: int
    ) -> Iterator[Node]:
        for section, count, total in sorted(found, key=lambda row: -row[2]):
            within = inside.get(section, [])
            own = max(0.0, ns[section] - sum(child[2] for child in within))
            yield Node(
                section,
                level,
                count,
                int(total),
                None if parent is None else calls[parent],
                None if parent is None else int(ns[parent]),
                own / calls[section],
                own / ns[section] if ns[section] > 0 else 1.0,
            )
            if section not in visited and level < DEEPEST:
                visited.add(section)
                yield from walked(within, section, level + 1)

    nodes = []
    for node in walked(roots, None, 0):
        nodes.append(node)
        if len(nodes) == MOST_NODES:
            break
    return nodes
