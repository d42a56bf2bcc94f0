# SPDX-License-Identifier: Apache-2.0
"""Words, tables and figures of a report, scenario by scenario.

The package of a scenario's name, here or in the scenario's own folder, may have a module
``content`` with ``content(results, rows)``, and a module ``figures`` with ``figures(results,
rows)``; without them it has the words and figures that fit every scenario. Whatever a file names,
only packages of known scenarios are imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas import SCENARIOS
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table
from wirecost.system.plugins import load_plugin, module_names
from wirecost.system.scenarios import has_module

if TYPE_CHECKING:  # it takes long to import
    from wirecost.results.report.shared.figure import Figure


@dataclass(frozen=True)
class ScenarioContent:
    """A report's words and tables; figures are added by whoever can show them."""

    title: str
    lead: str | None
    """The one sentence a hurried reader takes away."""
    tables: list[Table]
    details: list[Table]
    """Tables that a terminal leaves out."""
    built: str
    """Build of the contenders."""
    folded: list[Table] = field(default_factory=list)
    """Tables that a terminal shows behind the others, and a page folds away."""
    checked: list[tuple[bool, str]] = field(default_factory=list)
    """Examinations beside times: the answer, and in words."""
    first: Answer | None = None
    """What is printed when a run ends; None to print all tables."""


def content_of(results: Results, rows: list[Row]) -> ScenarioContent:
    """Return the words and tables of the folder's scenario."""
    content: ScenarioContent = _module(results, "content").content(results, rows)
    return content


def figures_of(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw the figures of the folder's scenario."""
    figures: list[Figure] = _module(results, "figures").figures(results, rows)
    return figures


def _module(results: Results, name: str) -> Any:
    scenario = results.meta.scenario
    if scenario in SCENARIOS:
        if name in module_names(Path(__file__).parent / scenario):
            return load_plugin(f"{__name__}.{scenario}", name)
        package = SCENARIOS.package(scenario)
        if package and has_module(package, name):
            return load_plugin(package, name)
    return load_plugin(f"{__name__}.any", name)


def built_with(environment: Mapping[str, object]) -> str:
    """Return compiler and flags, as far as a run wrote them down."""
    entries = [environment.get(name) for name in ("compiler", "flags")]
    return ", ".join(str(entry) for entry in entries if entry) or "unknown compiler"


def joined(*sentences: str | None) -> str | None:
    """Return a lead of the sentences that there are; None of none."""
    return " ".join(filter(None, sentences)) or None
