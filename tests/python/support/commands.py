# SPDX-License-Identifier: Apache-2.0
"""The commands of the command line, as its groups list them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from wirecost.cli import app


def commands() -> dict[tuple[str, ...], Any]:
    """Every command that is no group, by its words."""
    return dict(_below(typer.main.get_command(app)))


def _below(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from _below(command, *words, name)
        else:
            yield (*words, name), command
