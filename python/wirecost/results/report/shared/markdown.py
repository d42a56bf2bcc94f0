# SPDX-License-Identifier: Apache-2.0
"""Markdown in which text stays text: names come from programs and files, and it is rendered."""

from __future__ import annotations

from wirecost.results.report.shared.table import Table

MARKS = "\\`*_[]|~"
ENTITIES = {"&": "&amp;", "<": "&lt;", "#": "&#35;", "@": "&#64;"}


def text(plain: str) -> str:
    """Return one line that shows ``plain``."""
    safe = "".join(ENTITIES.get(c, f"\\{c}" if c in MARKS else c) for c in plain)
    return " ".join(safe.split())


def code(plain: str) -> str:
    """Return what stands between backquotes."""
    return " ".join(plain.replace("`", "'").split())


def line(cells: list[str]) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(map(text, cells)) + " |"


def rule(columns: int) -> str:
    """Return the line below headings: the first column left-aligned, the others right."""
    return "|:--" + "|--:" * (columns - 1) + "|"


def table(content: Table) -> str:
    """Return the table with its title and its notes."""
    lines = [f"### {text(content.title)}", "", line(content.headings), rule(len(content.headings))]
    return "\n".join([*lines, *map(line, content.rows), "", *map(text, content.notes), ""])
