# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a result folder."""

from __future__ import annotations

from datetime import UTC, datetime

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.common import Entry, Meta
from wirecost.results.report.results.caution import not_measured
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.shared import units
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.page import render
from wirecost.results.report.shared.table import Table

WORST = 3
"""Checks of the machine that stand at the top."""


MOST_ROWS = 800
"""Rows of the details; a page with more is slow to open, and other formats have all."""


def page(results: Results, rows: list[Row], figures: list[Figure], stills: bool = False) -> str:
    """Return the page. ``stills``: figures also as they are, for browsers without scripts; slow."""
    verdict, worst = _machine(results.meta)
    content = content_of(results, rows)
    details = _first(content.details)
    return render(
        "report.html.j2",
        figures,
        stills,
        verdict=verdict,
        worst=worst,
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


def _machine(meta: Meta) -> tuple[str, list[str]]:
    """Return the doctor's verdict, and what speaks most against the machine."""
    checks = [(str(said), name) for name, said in meta.doctor.items() if name != "verdict"]
    problems = [
        f"{name.replace('_', ' ')}: {said.removeprefix(level).strip(' ()') or level}"
        for level in ("fail", "warn")
        for said, name in checks
        if said.startswith(level)
    ]
    return str(meta.doctor.get("verdict", "")), problems[:WORST]


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
