# SPDX-License-Identifier: Apache-2.0
"""The table of how many processes each benchmark has, which follows from its settings."""

from __future__ import annotations

import re

import typer

from wirecost.cli.bench import app, names
from wirecost.results.report.shared import markdown

BLOCK = re.compile(
    r"(?<=<!-- processes of each benchmark -->\n).*?(?=<!-- end of processes -->)", re.DOTALL
)
HEADINGS = ["benchmarks", "option", "default"]
OPTIONS = ("processes", "rounds")


def written(text: str) -> str:
    """Return a document with the table as it must be."""
    return BLOCK.sub(lambda _: table(), text)


def table() -> str:
    """Return a row for each option and number of processes, the smallest number first."""
    benchmarks: dict[tuple[int, str], list[str]] = {}
    commands = typer.main.get_command(app)
    for benchmark in names():
        command = commands.get_command(typer.Context(commands), benchmark)  # type: ignore[attr-defined]
        defaults = {parameter.name: parameter.default for parameter in command.params}
        for option in OPTIONS:
            if option in defaults:
                key = defaults[option], f"--{option}"
                benchmarks.setdefault(key, []).append(benchmark)
    lines = [markdown.line(HEADINGS), "|:--|:--|--:|"]
    for (number, option), having in sorted(benchmarks.items()):
        lines.append(markdown.line([", ".join(having), option, str(number)]))
    return "\n".join([*lines, ""])
