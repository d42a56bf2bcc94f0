# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a result folder."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.results.failures import not_measured
from wirecost.report.scenarios import content_of
from wirecost.report.shared import units
from wirecost.report.shared.figure import Figure
from wirecost.report.shared.page import render


def page(results: Results, rows: list[Row], figures: list[Figure]) -> str:
    return render(
        "report.html.j2",
        figures,
        meta=results.meta,
        content=content_of(results, rows),
        figures=figures,
        failures=not_measured(results.meta),
        environment=_environment(results.meta),
    )


def _environment(meta: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for key, value in meta["environment"].items():
        name = key.removesuffix("_bytes").removesuffix("_ns").replace("_", " ")
        rows.append((name, _shown(key, value)))
    libraries = dict.fromkeys(about["library"] for about in meta["contenders"].values())
    rows.append(("libraries", ", ".join(libraries)))
    return rows


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "n/a"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {entry}" for name, entry in value.items())
    if key.endswith("_bytes") and isinstance(value, int):
        return units.size(value)
    if key.endswith("_ns") and isinstance(value, int | float):
        return units.time(value)
    return str(value)
