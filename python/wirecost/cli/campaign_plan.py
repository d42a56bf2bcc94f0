# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign plan``: what a campaign would run, and for how long."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from wirecost.cli import bench
from wirecost.cli.json_file import JsonFile, write_json
from wirecost.cli.options import argument
from wirecost.measure.campaign.definition import Definition, read
from wirecost.measure.campaign.tasks import Task, tasks
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.counted import counted
from wirecost.system.terminal import Console

EXAMPLE = "wirecost campaign plan campaign.toml"

MOST_SHOWN = 20


def command(
    file: Annotated[Path, argument("FILE", "A campaign.toml.")],
    json_file: JsonFile = None,
) -> None:
    """Check a campaign, and show its tasks in the order in which they would run."""
    definition = read(file)
    planned = tasks(definition, refused)
    console = Console(stderr=json_file == Path("-"))
    print_table(console, _order(definition, planned))
    print_table(console, _machines(planned))
    write_json(
        json_file, {"campaign": definition.name, "tasks": [asdict(task) for task in planned]}
    )


def refused(scenario: str, arguments: list[str]) -> str | None:
    """Return in one line why ``wirecost bench`` would not take these arguments, if so."""
    group: Any = typer.main.get_command(bench.app)
    context = group.make_context("bench", [], resilient_parsing=True)
    command = group.get_command(context, scenario)
    if command is None:
        return f"there is no scenario {scenario}; there are {', '.join(bench.names())}"
    try:
        command.make_context(scenario, list(arguments), parent=context)
    except Exception as error:
        # The module of the class of wrong options depends on Typer's version.
        if not hasattr(error, "format_message"):
            raise
        return " ".join(error.format_message().split())
    return None


def _order(definition: Definition, planned: list[Task]) -> Table:
    first = planned[:MOST_SHOWN]
    body = [
        [task.key, task.machine, str(task.repetition), " ".join((task.scenario, *task.arguments))]
        for task in first
    ]
    remaining = len(planned) - len(first)
    notes = [f"The first {len(first)}, {remaining:,} more follow." if remaining else "All of them."]
    title = f"{definition.name}: {counted(len(planned), 'task')} in the order of running"
    return Table(title, ["task", "machine", "repetition", "wirecost bench"], body, notes)


def _duration(seconds: float) -> str:
    """Return ``3 h 05 min``."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def _machines(planned: list[Task]) -> Table:
    count = Counter(task.machine for task in planned)
    body = [
        [name, f"{number:,}", _duration(sum(t.expected_s for t in planned if t.machine == name))]
        for name, number in sorted(count.items())
    ]
    note = "Machines measure at the same time; each measures one task at a time."
    return Table("Machines", ["machine", "tasks", "expected"], body, [note])
