# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign plan``: what a campaign would run, and for how long."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from wirecost.cli import bench
from wirecost.cli.json_file import JsonFile, write_json
from wirecost.cli.options import argument
from wirecost.measure.campaign.definition import Definition, read
from wirecost.measure.campaign.tasks import Task, tasks
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.counted import counted

EXAMPLE = "wirecost campaign plan campaign.toml"

MOST_SHOWN = 20


def command(
    file: Annotated[Path, argument("FILE", "A campaign.toml.")],
    json_file: JsonFile = None,
) -> None:
    """Check a campaign, and show its tasks in the order in which they would run."""
    definition = read(file)
    found = tasks(definition, refused)
    console = Console(stderr=json_file == Path("-"))
    print_table(console, _order(definition, found))
    print_table(console, _machines(found))
    write_json(json_file, {"campaign": definition.name, "tasks": [asdict(task) for task in found]})


def refused(scenario: str, arguments: list[str]) -> str | None:
    """Why ``wirecost bench`` would not take these arguments, on one line."""
    group: Any = typer.main.get_command(bench.app)
    context = group.make_context("bench", [], resilient_parsing=True)
    found = group.get_command(context, scenario)
    if found is None:
        return f"there is no scenario {scenario}; there are {', '.join(bench.NAMES)}"
    try:
        found.make_context(scenario, list(arguments), parent=context)
    except Exception as error:
        # Which module the class of wrong options is in depends on Typer's version.
        if not hasattr(error, "format_message"):
            raise
        return " ".join(error.format_message().split())
    return None


def _order(definition: Definition, found: list[Task]) -> Table:
    shown = found[:MOST_SHOWN]
    body = [
        [task.key, task.machine, str(task.repetition), " ".join((task.scenario, *task.arguments))]
        for task in shown
    ]
    left = len(found) - len(shown)
    notes = [f"The first {len(shown)}, {left:,} more follow." if left else "All of them."]
    title = f"{definition.name}: {counted(len(found), 'task')} in the order of running"
    return Table(title, ["task", "machine", "repetition", "wirecost bench"], body, notes)


def _duration(seconds: float) -> str:
    """``3 h 05 min``."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def _machines(found: list[Task]) -> Table:
    count = Counter(task.machine for task in found)
    body = [
        [name, f"{count[name]:,}", _duration(sum(t.expected_s for t in found if t.machine == name))]
        for name in sorted(count)
    ]
    note = "Machines measure at the same time; each measures one task at a time."
    return Table("Machines", ["machine", "tasks", "expected"], body, [note])
