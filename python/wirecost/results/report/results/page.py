# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a result folder."""

from __future__ import annotations

from datetime import UTC, datetime

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.common import Entry, Meta
from wirecost.results.report.results.caution import not_measured
from wirecost.results.report.scenarios import content_of, joined
from wirecost.results.report.shared import units
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.page import render
from wirecost.results.report.shared.table import Table

LOAD = "load"
"""The check that comes first: what else ran matters more than how the machine is set up."""
NO_ANSWER = "Too few repetitions for a verdict; this is what was measured."

MOST_ROWS = 800
"""Rows of the details; a page with more is slow to open, and other formats have all."""


def page(results: Results, rows: list[Row], figures: list[Figure], stills: bool = False) -> str:
    """Return the page. ``stills``: figures also as they are, for browsers without scripts; slow."""
    content = content_of(results, rows)
    answer = content.first.answer if content.first else content.lead
    hints = content.first.hints if content.first else []
    details = _first(content.details)
    return render(
        "report.html.j2",
        figures,
        stills,
        answer=answer or NO_ANSWER,
        more=joined(content.lead if content.lead != answer else None, *hints),
        steps=content.first.steps if content.first else [],
        doubts=_doubts(results.meta),
        meta=results.meta,
        created=_minute(results.meta.created),
        content=content,
        details=details,
        left_out=[table.title for table in content.details[len(details) :]],
        figures=figures,
        failures=not_measured(results.meta),
        environment=_environment(results.meta),
    )


def _first(tables: list[Table]) -> list[Table]:
    """Return as many tables as have ``MOST_ROWS`` in all."""
    first, rows = [], 0
    for table in tables:
        rows += len(table.rows)
        if rows > MOST_ROWS:
            break
        first.append(table)
    return first


def _doubts(meta: Meta) -> list[str]:
    """Return what speaks against the machine: load when the run began, then what weighs most."""
    checks = [(name, str(said)) for name, said in meta.doctor.items() if name != "verdict"]
    checks.sort(key=lambda check: check[0] != LOAD)
    return [
        _doubt(name, said.removeprefix(level).strip(" ()") or level)
        for level in ("fail", "warn")
        for name, said in checks
        if said.startswith(level)
    ]


def _doubt(name: str, said: str) -> str:
    if name == LOAD:
        return f"load {said} when the run began"
    return f"{name.replace('_', ' ')}: {said}"


def _minute(created: str) -> str:
    """Return ``2026-11-22 05:47 UTC``; the folder's text where it is no time."""
    try:
        return f"{datetime.fromisoformat(created).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return created


def _environment(meta: Meta) -> list[tuple[str, str]]:
    rows = []
    for key, value in meta.environment.items():
        if key == "doctor" and meta.doctor:
            rows += [
                (f"check: {name.replace('_', ' ')}", str(said))
                for name, said in meta.doctor.items()
            ]
            continue
        name = key.removesuffix("_bytes").removesuffix("_ns").replace("_", " ")
        rows.append((name, _shown(key, value)))
    libraries = dict.fromkeys(about.library for about in meta.contenders.values())
    rows.append(("libraries", ", ".join(libraries)))
    return rows


def _shown(key: str, value: Entry) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_shown(name, entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(_shown("", entry) for entry in value)
    if value is None or isinstance(value, bool):
        return {None: "n/a", True: "yes", False: "no"}[value]
    if key.endswith("_bytes") and isinstance(value, int):
        return units.size(value)
    if key.endswith("_ns") and isinstance(value, int | float):
        return units.time(value)
    return units.significant(value) if isinstance(value, float) else str(value)
