# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign plan``: what a campaign would run, and for how long."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from wirecost.cli import bench
from wirecost.cli.ending import answering
from wirecost.cli.options import argument
from wirecost.measure.campaign.definition import Definition, read
from wirecost.measure.campaign.tasks import Task, tasks
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted

EXAMPLE = "wirecost campaign plan campaign.toml"


@answering()
def command(file: Annotated[Path, argument("FILE", "A campaign.toml.")]) -> Answer:
    """Check a campaign, and show its tasks in the order in which they would run."""
    definition = read(file)
    planned = tasks(definition, refused)
    seconds = sum(task.expected_s for task in planned)
    machines = _machines(planned)
    return Answer(
        f"{definition.name}: {counted(len(planned), 'task')} on "
        f"{counted(len(machines.rows), 'machine')}, {_duration(seconds)} of measuring.",
        machines,
        more="--all lists every task in the order of running",
        sections=[Section([_order(definition, planned), machines])],
        heading=f"Plan of {definition.name}",
        document={"campaign": definition.name, "tasks": [asdict(task) for task in planned]},
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
    body = [
        [task.key, task.machine, str(task.repetition), " ".join((task.scenario, *task.arguments))]
        for task in planned
    ]
    title = f"{definition.name}: {counted(len(planned), 'task')} in the order of running"
    headings = ["task", "machine", "repetition", "wirecost bench"]
    return Table(title, headings, body, [], texts=("wirecost bench",))


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
