# SPDX-License-Identifier: Apache-2.0
"""Why an interval could not be given, and how much more to measure, in words."""

from __future__ import annotations

import math

from wirecost.analysis.compare.quantiles import TooFew

DEPENDENT = (
    "count as: executions that follow one another, and those of one process, depend on each other, "
    "so they say only as much as so many independent ones"
)


def too_few(found: TooFew) -> str:
    """``600 count as 149, 368 needed: 15 runs, not 6``."""
    text = f"{found.executions:,}"
    if found.worth < found.executions:
        text += f" count as {found.worth:,}"
    times = found.needed / found.worth
    more = f"{times:.1f} times as long a run"
    if found.processes > 1:
        more = f"{math.ceil(times * found.processes):,} runs, not {found.processes:,}"
    return f"{text}, {found.needed:,} needed: {more}"
