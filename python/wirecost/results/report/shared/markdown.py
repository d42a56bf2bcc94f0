# SPDX-License-Identifier: Apache-2.0
"""Markdown in which text stays text: names come from programs and files, and it is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirecost.results.report.shared.answer import Answer, Section, split_step
from wirecost.results.report.shared.table import Table

COMMENT = 60_000
"""Characters: a comment on GitHub holds 65,536."""
MOST = (200, 50, 10)
"""Rows of each table: as many as fit a comment."""
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


def table(content: Table, most: int | None = None) -> str:
    """Return the table with its title and its notes. ``most``: rows; None: all."""
    rows = content.rows[:most]
    lines = [f"### {text(content.title)}", ""] if content.title else []
    lines += [line(content.headings), rule(len(content.headings)), *map(line, rows)]
    more = len(content.rows) - len(rows)
    left_out = [f"{more:,} more are in `--json` and `--report`."] if more else []
    return "\n".join([*lines, "", *left_out, *map(text, content.notes)]).rstrip() + "\n"


def answer(content: Answer, longest: int | None = None) -> str:
    """Return the whole answer. ``longest``: characters, for which rows are left out; None: any."""
    if longest is None:
        return _answer(content, None)
    texts = [_answer(content, most) for most in MOST]
    return next((text for text in texts if len(text) <= longest), texts[-1])


def _answer(content: Answer, most: int | None) -> str:
    parts = [f"### wirecost: {text(content.heading)}"] if content.heading else []
    parts += [f"**{text(content.sentence)}**"] if content.sentence else []
    if alerts := content.alerts():
        parts.append("> [!WARNING]\n" + _listed(alerts, "> - ", most))
    parts += [text(entry) for entry in content.about]
    parts += [f"{number}. {_step(step)}" for number, step in enumerate(content.steps, 1)]
    parts += map(_step, content.hints)
    parts += [f"{'✓' if holds else '✗'} {text(said)}." for holds, said in content.checked]
    parts += map(text, content.notes())
    for section in content.parts():
        parts += _section(section, most)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _section(section: Section, most: int | None) -> list[str]:
    parts = [
        table(
            replace(content, title="") if section.title.startswith(content.title) else content, most
        )
        for content in section.tables
        if content.rows
    ]
    if section.lines:
        parts.append(_listed(section.lines, "- " if len(section.lines) > 1 else "", most))
    if section.is_folded and parts:
        body = "\n".join(parts).rstrip("\n")
        return [f"<details><summary>{text(section.title)}</summary>\n\n{body}\n\n</details>"]
    return [f"## {text(section.title)}", *parts] if section.title and parts else parts


def _listed(lines: Sequence[str], before: str, most: int | None) -> str:
    bullets = [before + text(entry) for entry in lines[:most]]
    if more := len(lines) - len(bullets):
        bullets.append(f"{before}{more:,} more")
    return "\n".join(bullets)


def _step(step: str) -> str:
    said, command = split_step(step)
    return f"{text(said)} `{code(command)}`" if command else text(said)
