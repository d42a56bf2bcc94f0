# SPDX-License-Identifier: Apache-2.0
"""Every option of every `bench` command is used in a test that runs the command."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from wirecost.cli.bench import NAMES, app

FOLDERS = [Path(__file__).parents[2] / name for name in ("e2e", "benchmarks")]
WRONG = Path(__file__).parents[1] / "cli" / "wrong_inputs.txt"
COMMON = {"--help", "--out", "--all", "--report", "--json"}
"""``test_bench_commands.py`` gives them to every command."""
ELSEWHERE = {
    "wrapyfi": {  # installs packages for minutes: benchmarks/test_wrapyfi.py
        "--plugins",
        "--middlewares",
        "--dtype",
        "--rate",
        "--trials",
        "--processes",
        "--seed",
        "--python",
    },
}


def options(scenario: str) -> Iterator[str]:
    """Return the long names of a command's options."""
    commands = typer.main.get_command(app)
    command = commands.get_command(typer.Context(commands), scenario)  # type: ignore[attr-defined]
    assert command is not None
    for parameter in command.params:
        yield from (name for name in parameter.opts if name.startswith("--"))


def words(scenario: str) -> set[str]:
    """Return the words of command lines in the modules that test a scenario.

    Included are those in the list of what users get wrong."""
    lines = [shlex.split(line) for line in WRONG.read_text().splitlines()]
    found = {word for line in lines for word in line if line[:2] == ["bench", scenario]}
    paths = [path for folder in FOLDERS for path in folder.glob(f"test_bench_{scenario}*.py")]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value.partition("=")[0])
    return found


@pytest.mark.parametrize("scenario", NAMES)
def test_every_option_is_used_in_a_test(scenario: str) -> None:
    known = COMMON | ELSEWHERE.get(scenario, set())
    assert set(options(scenario)) - known - words(scenario) == set()
