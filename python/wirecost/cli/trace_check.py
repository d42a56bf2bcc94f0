# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace check``: traces against OSI's rules."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.cli.console import Advance, progress
from wirecost.cli.ending import answering
from wirecost.cli.trace_options import Files, Topic, Type
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table, Toned
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import without_middle

if TYPE_CHECKING:
    from wirecost.data.traces.check import TraceFinding

EXAMPLE = "wirecost trace check drive.mcap"
LONGEST_NAME = 30
"""Characters of a file's name: what was found in it needs the rest of a line."""
STYLES = {"error": "red", "warning": "yellow"}


@answering()
def command(files: Files, topic: Topic = None, type_name: Type = None) -> Answer:
    """Check traces against OSI's rules and parse every frame; exit status 1 if there are errors."""
    from wirecost.data.traces.check import Severity

    with progress() as advance:
        checked = {path: _findings(path, topic, type_name, advance) for path in files}
    every = [(path, finding) for path, findings in checked.items() for finding in findings]
    errors = sum(finding.severity is Severity.ERROR for _, finding in every)
    text = f"{counted(errors, 'error')}, {counted(len(every) - errors, 'warning')}"
    columns = [
        Column[tuple[Path, "TraceFinding"]](
            "trace", lambda item: without_middle(item[0].name, LONGEST_NAME)
        ),
        Column[tuple[Path, "TraceFinding"]]("", lambda item: _severity(item[1])),
        Column[tuple[Path, "TraceFinding"]](
            "finding", lambda item: f"{item[1].text}; {item[1].remedy}", is_text=True
        ),
    ]
    return Answer(
        f"{counted(len(files), 'trace')} checked: {text}.",
        Table.of("Findings", every, columns),
        more="--all lists every finding" if every else "",
        heading="Traces checked against OSI's rules",
        document=[
            {"file": str(path), "findings": [asdict(finding) for finding in findings]}
            for path, findings in checked.items()
        ],
        status=1 if errors else 0,
    )


def _severity(finding: TraceFinding) -> str:
    text = str(finding.severity)
    return Toned(text, STYLES.get(text, ""))


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
