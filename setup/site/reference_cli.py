# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the commands, read from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from markup import cell, heading

FOLDER = "reference/commands"


def pages() -> dict[str, str]:
    """Return ``reference/commands/NAME.md`` for each command, and their list.

    Needs what the commands need: ``wirecost[bench]`` and what the build compiled. Raises
    ModuleNotFoundError."""
    from wirecost.cli import app  # noqa: PLC0415

    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="wirecost")
    texts = {}
    lines = []
    for name, command in _visible(root, context):
        texts[f"{FOLDER}/{name}.md"] = "\n".join(_page(command, context, name, 1)).rstrip() + "\n"
        lines.append(f"| [`wirecost {name}`]({name}.md) | {cell(_first(command.help))} |")
    own = _parameters(root, context)
    texts[f"{FOLDER}/index.md"] = "\n".join(
        [
            "# Commands",
            "",
            "Read from the commands themselves: what `--help` prints.",
            "",
            "| command | what it does |",
            "|---|---|",
            *lines,
            "",
            *own,
        ]
    )
    return texts


def _page(command: Any, parent: Any, name: str, level: int) -> Iterator[str]:
    context = typer.Context(command, info_name=name, parent=parent)
    yield from (heading(level, command_path(context)), "")
    usage = " ".join([command_path(context), *command.collect_usage_pieces(context)])
    yield from ("```text", usage, "```", "")
    yield from (_paragraphs(command.help), "")
    yield from _parameters(command, context)
    for below, subcommand in _visible(command, context):
        yield from _page(subcommand, context, below, level + 1)


def command_path(context: Any) -> str:
    """``wirecost bench osi``."""
    above = f"{command_path(context.parent)} " if context.parent else ""
    return f"{above}{context.info_name}"


def _visible(command: Any, context: Any) -> Iterator[tuple[str, Any]]:
    for name in getattr(command, "list_commands", lambda _: [])(context):
        subcommand = command.get_command(context, name)
        if subcommand is not None and not subcommand.hidden:
            yield name, subcommand


def _parameters(command: Any, context: Any) -> Iterator[str]:
    """Tables of a command's arguments and options, as its help lists them."""
    parameters = [
        parameter for parameter in command.get_params(context) if parameter.name != "help"
    ]
    for kind in ("argument", "option"):
        records = (
            parameter.get_help_record(context)
            for parameter in parameters
            if parameter.param_type_name == kind
        )
        rows = [(names.strip(), meaning) for names, meaning in filter(None, records)]
        if rows:
            yield from (f"| {kind} | meaning |", "|---|---|")
            yield from (
                f"| `{cell(names)}` | {cell(_escaped(meaning))} |" for names, meaning in rows
            )
            yield ""


def _escaped(text: str) -> str:
    """``[default: 5%]`` and ``<name>`` as they are."""
    return re.sub(r"([\[\]<>*_])", r"\\\1", _paragraphs(text))


def _first(text: str | None) -> str:
    return _paragraphs(text).partition("\n\n")[0]


def _paragraphs(text: str | None) -> str:
    """Return a help text without the marks of Rich and of Click."""
    return inspect.cleandoc(text or "").replace("\b\n", "").replace("\f", "")
