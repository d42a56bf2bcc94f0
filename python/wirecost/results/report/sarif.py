# SPDX-License-Identifier: Apache-2.0
"""Exceeded budgets as SARIF 2.1.0, which GitHub's code scanning shows at the line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from wirecost.results.analysis.budget.origins import Origin
from wirecost.results.analysis.budget.verdicts import EXCEEDED, Verdict
from wirecost.results.records.probe_stacks import SourceLine
from wirecost.results.report.budget import Origins, sentence, stack_text
from wirecost.system.current_folder import is_gone
from wirecost.system.foreign import printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
ROOT = "%SRCROOT%"
Object = dict[str, object]


def sarif(
    verdicts: Sequence[Verdict], incomplete: Iterable[str], origins: Origins, budget: Path
) -> str:
    """Return a log with a result for each exceeded budget and each of its stacks.

    A result without a line of source is at the table in the budget's file. Files are relative to
    the repository that the current folder is in.
    """
    exceeded = [verdict for verdict in verdicts if verdict.verdict == EXCEEDED]
    root = _repository()
    results: list[Object] = []
    for verdict in exceeded:
        places: Sequence[Origin | None] = origins.get(verdict) or [None]
        table = _at_table(budget, verdict)
        results += [_result(verdict, origin, table, root) for origin in places]
    rules = [_rule(name) for name in dict.fromkeys(one.line.quantity for one in exceeded)]
    notes = [{"message": {"text": printable(line)}, "level": "warning"} for line in incomplete]
    run: Object = {
        "tool": {"driver": {"name": "wirecost probe check", "rules": rules}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(document, indent=2) + "\n"


def _rule(quantity: str) -> Object:
    text = {"text": f"The budget for {quantity} is exceeded"}
    return {"id": quantity, "shortDescription": text, "fullDescription": text, "help": text}


def _result(verdict: Verdict, origin: Origin | None, table: SourceLine, root: Path) -> Object:
    text = printable(sentence(verdict))
    result: Object = {"ruleId": verdict.line.quantity, "level": "error"}
    if origin is None:
        return {**result, "message": {"text": text}, "locations": [_location(table, root)]}
    place = origin.own if origin.own.file else table
    frames = [{"location": _location(line, root)} for line in origin.lines]
    return {
        **result,
        "message": {"text": f"{text}\n{stack_text(verdict, origin)}"},
        "locations": [_location(place, root)],
        "stacks": [{"message": {"text": origin.which}, "frames": frames}],
    }


def _location(line: SourceLine, root: Path) -> Object:
    name = {"logicalLocations": [{"fullyQualifiedName": printable(line.function)}]}
    if not line.file:
        return dict(name)
    file: Mapping[str, object] = {
        "artifactLocation": _artifact(Path(line.file), root),
        "region": {"startLine": max(1, line.line)},
    }
    return {"physicalLocation": file, **name}


def _artifact(file: Path, root: Path) -> Object:
    """Return a file of the repository relative to its root; others by their whole path."""
    whole = Path(os.path.normpath(root / file))
    if whole.is_relative_to(root):
        return {"uri": quote(whole.relative_to(root).as_posix()), "uriBaseId": ROOT}
    return {"uri": f"file://{quote(whole.as_posix())}"}


def _at_table(budget: Path, verdict: Verdict) -> SourceLine:
    """Return the line of the budget's file that names what is limited."""
    heading = f"[{verdict.line.kind}."
    lines = budget.read_text(errors="replace").splitlines()
    numbers = [
        number
        for number, line in enumerate(lines, 1)
        if line.strip().startswith(heading) and verdict.line.pattern in line
    ]
    file = budget if is_gone() else budget.absolute()
    return SourceLine(verdict.name, str(file), numbers[0] if numbers else 1)


def _repository() -> Path:
    """Return the root of the repository that the current folder is in, else the folder."""
    if is_gone():
        return Path("/")
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
