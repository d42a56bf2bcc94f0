# SPDX-License-Identifier: Apache-2.0
"""A table as every report shows it: on a terminal, a page, in Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Text cells under headings; the first column is left-aligned, the others right."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str]
    optional: tuple[str, ...] = ()
    """Headings of the columns that a narrow terminal may leave out, the first ones first."""
