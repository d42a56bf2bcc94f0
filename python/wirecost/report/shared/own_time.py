# SPDX-License-Identifier: Apache-2.0
"""What of a section's time is its own code's processor time, and where to look for it next."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.analysis.causes import Explanation
from wirecost.analysis.probe_tree import Node, inside
from wirecost.report.shared import units

MUCH = 0.2
"""Share of the median from which on it is said."""
NEARLY = 0.9
"""Share of what no counter explains that must be processor time to say so: clocks are read one
after another."""
COVERED = 0.5
"""Share of a section's time from which on the sections inside it show where it goes."""


def own_time(one: Explanation, nodes: Sequence[Node]) -> str | None:
    """``35.3 ms of 77.9 ms in the median (45 %) are … processor time …``; None where that is little
    or is not known to be processor time. ``nodes``: the sections inside sections."""
    rest, whole = one.rest_median_ns, one.median_ns
    if whole <= 0 or rest < MUCH * whole:
        return None
    clock = one.processor_median_ns
    if clock is not None:
        if clock < NEARLY * rest:
            return None
        known = f"perf::TASK-CLOCK counted {units.time(clock)}"
    elif one.waits_counted:
        known = "waiting and blocked time were counted apart"
    else:
        return None
    return (
        f"{units.time(rest)} of {units.time(whole)} in the median ({100 * rest / whole:.0f} %) are "
        f"this code's own processor time ({known}): {_next(one.section, nodes)}"
    )


def _next(section: str, nodes: Sequence[Node]) -> str:
    """Where most of it is, or how to learn that."""
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
        f"of the sections inside, {largest.section} takes most by itself "
        f"({100 * share:.0f} % of {section}); see there"
    )
