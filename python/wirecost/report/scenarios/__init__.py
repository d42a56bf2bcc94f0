# SPDX-License-Identifier: Apache-2.0
"""What a report says, scenario by scenario.

The module of a scenario's name offers ``content(results, rows)``.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
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
    module = importlib.import_module(f"{__name__}.{results.meta['scenario']}")
    made: Content = module.content(results, rows)
    return made
