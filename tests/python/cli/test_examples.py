# SPDX-License-Identifier: Apache-2.0
"""Every command's help ends with an example that its own options take."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from wirecost.cli import app


def _commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from _commands(command, *words, name)
        else:
            yield (*words, name), command


COMMANDS = dict(_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_example_is_one(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    assert (command.epilog or "").startswith(f"Example: wirecost {' '.join(words)}")
    example = shlex.split(command.epilog.removeprefix("Example: wirecost "))
    given = example[len(words) :]
    context = command.make_context(words[-1], given)
    assert context.params is not None
