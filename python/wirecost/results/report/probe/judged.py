# SPDX-License-Identifier: Apache-2.0
"""Probe logs judged: times of sections, what explains them, misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wirecost.results.analysis.causes import Explanation, explain
from wirecost.results.analysis.misses import Missed, SlowCalls, missed, most_slow_first, slow_calls
from wirecost.results.analysis.probe_sections import SectionSummary, executions, summary
from wirecost.results.analysis.probe_tree import Node, tree
from wirecost.results.records.probe_log import ProbeLog
from wirecost.results.records.recorded import event_tables

DRAWN = 16
"""Sections with figures: those that took most of the time in all."""


@dataclass(frozen=True)
class Judged:
    """Sections with their times, explanations, misses, their tree, slow executions.

    The longest miss is the first, and the section that its slow executions matter most to.
    ``limit_ns``: the deadline.
    """

    limit_ns: float | None
    sections: list[SectionSummary] = field(default_factory=list)
    explanations: list[Explanation] = field(default_factory=list)
    misses: list[Missed] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    slow: list[SlowCalls] = field(default_factory=list)


def judged(logs: list[ProbeLog], prices_ns: Mapping[str, float], limit_ns: float | None) -> Judged:
    """Judge logs by a deadline. ``prices_ns``: of events of the machine that wrote them."""
    verdict = Judged(limit_ns)
    slow: list[SlowCalls] = []
    for executed in map(executions, event_tables(logs)):
        verdict.sections.extend(summary(executed, limit_ns))
        verdict.nodes.extend(tree(executed))
        causes = explain(executed, prices_ns)
        verdict.explanations.extend(causes)
        slow += slow_calls(executed, limit_ns, causes, prices_ns)
        if limit_ns is not None:
            verdict.misses.extend(missed(executed, limit_ns, causes, prices_ns))
    verdict.misses.sort(key=lambda miss: -miss.ns)
    verdict.slow.extend(most_slow_first(slow, is_deadline=limit_ns is not None))
    return verdict
