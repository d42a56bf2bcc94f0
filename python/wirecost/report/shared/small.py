# SPDX-License-Identifier: Apache-2.0
"""Sections that are too small a part of what is around them to be worth advice."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.analysis.causes import Explanation
from wirecost.analysis.probe_tree import Node

SMALL, SMALL_TAIL = 0.01, 0.05
"""Shares of the outermost section, of all its time and of its slowest executions, below which a
section inside it is left out."""


def worth_advice(
    explanations: Sequence[Explanation], nodes: Sequence[Node]
) -> tuple[list[Explanation], list[str]]:
    """Those to explain, and a line about the rest, if any. ``nodes``: sections inside sections."""
    slowest = {one.section: one.slowest_ns for one in explanations}
    small: dict[str, float] = {}
    around = None
    for node in nodes:
        if node.level == 0:
            around = node
        elif around is not None and around.ns > 0:
            small[node.section] = small.get(node.section, 0.0) + node.ns / around.ns
            if slowest.get(node.section, 0.0) > SMALL_TAIL * slowest.get(around.section, 0.0):
                small[node.section] = 1.0
    small = {section: share for section, share in small.items() if share < SMALL}
    left_out = [
        f"{one.section} ({100 * small[one.section]:.2g} %)"
        for one in explanations
        if one.section in small
    ]
    if not left_out:
        return list(explanations), []
    text = (
        f"Without advice, being less than {100 * SMALL:.0f} % of the section around: "
        f"{', '.join(left_out)}; their causes are in --json"
    )
    return [one for one in explanations if one.section not in small], [text]
