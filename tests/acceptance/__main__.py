# SPDX-License-Identifier: Apache-2.0
"""``python -m acceptance FOLDER``: what is asked of a measured run, what was measured, what is met.

The exit status is 1 where a goal is missed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from acceptance import probe, tensor
from acceptance.goal import Goal
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

SCENARIOS = {"probe": probe.goals, "tensor": tensor.goals}
MET = {True: "yes", False: "no", None: "?"}


def goals_of(results: Results) -> list[Goal]:
    """Return the goals that the folder says something about; none of scenarios without goals."""
    goals = SCENARIOS.get(results.meta.scenario)
    return goals(results, summarize(results)) if goals else []


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m acceptance FOLDER", file=sys.stderr)
        return 2
    try:
        goals = goals_of(read_results(Path(arguments[0])))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    body = [[goal.what, goal.asked, goal.measured, MET[goal.met]] for goal in goals]
    notes = ["?: the 95 % interval holds the limit itself"]
    print_table(Console(), Table("Goals", ["goal", "asked", "measured", "met"], body, notes))
    return int(any(goal.met is False for goal in goals))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
