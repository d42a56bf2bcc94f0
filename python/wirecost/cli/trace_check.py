# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace check``: traces against OSI's rules."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wirecost.cli.console import Advance, progress
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.trace_options import Files, Topic, Type
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.data.traces.check import TraceFinding

EXAMPLE = "wirecost trace check drive.mcap"


def command(
    files: Files, topic: Topic = None, type_name: Type = None, json_file: JsonFile = None
) -> None:
    """Check traces against OSI's rules and parse every frame; exit status 1 if there are errors."""
    from wirecost.data.traces.check import Severity

    check_writable("--json", json_file)
    with progress() as advance:
        checked = {path: _findings(path, topic, type_name, advance) for path in files}
    console = console_beside(json_file)
    for path, findings in checked.items():
        _print(console, path, findings)
    write_json(
        json_file,
        [
            {"file": str(path), "findings": [asdict(finding) for finding in findings]}
            for path, findings in checked.items()
        ],
    )
    if any(finding.severity is Severity.ERROR for finding in chain.from_iterable(checked.values())):
        raise typer.Exit(1)


def _findings(
    path: Path, topic: str | None, type_name: str | None, advance: Advance
) -> list[TraceFinding]:
    """Return a trace's findings; that it cannot be opened is one."""
    from wirecost.data.traces import open_trace
    from wirecost.data.traces.check import Severity, TraceFinding, check

    try:
        with open_trace(path, topic, type_name, advance) as trace:
            return check(trace, advance)
    except UserError as error:
        text, _, remedy = str(error).removeprefix(f"{path}: ").rpartition("; ")
        return [TraceFinding(Severity.ERROR, text or remedy, remedy)]


def _print(console: Console, path: Path, findings: list[TraceFinding]) -> None:
    from wirecost.data.traces.check import Severity

    console.print(str(path), style="bold", markup=False, soft_wrap=True, highlight=False)
    for finding in findings:
        style = "red" if finding.severity is Severity.ERROR else "yellow"
        console.print(f"  {finding.severity:7}  ", style=style, end="")
        console.print(
            f"{finding.text}; {finding.remedy}", markup=False, soft_wrap=True, highlight=False
        )
    if not findings:
        console.print("  no errors, no warnings", style="green", highlight=False)
