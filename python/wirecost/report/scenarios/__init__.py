# SPDX-License-Identifier: Apache-2.0
"""What a report says, scenario by scenario.

The module of a scenario's name offers ``content(results, rows)``. Results are read with names of
scenarios that there are, so that no other module is imported because a file names it.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.records.scenarios import SCENARIOS
from wirecost.report.table import Table


@dataclass(frozen=True)
class Content:
    """A report's words and tables; figures are added by whoever can show them."""

    title: str
    lead: str | None
    """The one sentence a hurried reader takes away."""
    tables: list[Table]
    details: list[Table]
    """What a terminal leaves out."""
    built: str
    """How the contenders were built."""


def content_of(results: Results, rows: list[Row]) -> Content:
    name = results.meta["scenario"]
    if name not in SCENARIOS:
        raise ValueError(f"no scenario {name}")
    module = importlib.import_module(f"{__name__}.{name}")
    made: Content = module.content(results, rows)
    return made


def built_with(environment: dict[str, Any]) -> str:
    """Compiler and flags, as far as a run wrote them down."""
    told = [environment.get(name) for name in ("compiler", "flags")]
    return ", ".join(str(one) for one in told if one) or "unknown compiler"
