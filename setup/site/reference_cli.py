# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the commands, written by Typer from the commands themselves."""

from __future__ import annotations

import re
from typing import Any

import typer
import typer.cli
from links import outside_fences
from markup import cell

FOLDER = "reference/commands"
PLAIN = re.compile(r"(^\* |^\*\*\w+\*\*:|`[^`\n]*`)|[<>*_]", re.MULTILINE)
"""Typer's own marks, which stay, or a character that Markdown would take for one."""
SUBCOMMANDS = re.compile(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n")
"""List of commands whose sections follow, with what they do cut off."""


def pages() -> dict[str, str]:
    """Return ``reference/commands/NAME.md`` for each command, and their list.

    Needs what the commands need: ``wirecost`` and what the build compiled. Raises
    ModuleNotFoundError."""
    from wirecost.cli import app  # noqa: PLC0415

    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="wirecost")
    own, _, _ = _documented(root, context, "wirecost", title="Commands").partition("\n## ")
    lines = [own, "| command | what it does |", "|---|---|"]
    texts = {}
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        if not command.hidden:
            texts[f"{FOLDER}/{name}.md"] = _documented(command, context, name, "wirecost")
            what = cell((command.help or "").partition("\n\n")[0])
            lines.append(f"| [`wirecost {name}`]({name}.md) | {what} |")
    return texts | {f"{FOLDER}/index.md": "\n".join([*lines, ""])}


def _documented(
    command: Any, context: Any, name: str, prefix: str = "", title: str | None = None
) -> str:
    text = typer.cli.get_docs_for_click(
        obj=command, ctx=context, name=name, call_prefix=prefix, title=title
    )
    return outside_fences(SUBCOMMANDS.sub("", text), lambda part: PLAIN.sub(_escaped, part))


def _escaped(match: re.Match[str]) -> str:
    return match[1] or f"\\{match[0]}"
