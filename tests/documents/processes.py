# SPDX-License-Identifier: Apache-2.0
"""The table of how many processes each benchmark has, which follows from its settings."""

from __future__ import annotations

import importlib
import inspect
import re

from documents.runs import ROOT
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
    for path in sorted((ROOT / "python/wirecost/cli").glob("bench_*.py")):
        command = importlib.import_module(f"wirecost.cli.{path.stem}").command
        parameters = inspect.signature(command).parameters
        for option in OPTIONS:
            if option in parameters:
                key = parameters[option].default, f"--{option}"
                benchmarks.setdefault(key, []).append(path.stem.removeprefix("bench_"))
    lines = [markdown.line(HEADINGS), "|:--|:--|--:|"]
    for (number, option), names in sorted(benchmarks.items()):
        lines.append(markdown.line([", ".join(names), option, str(number)]))
    return "\n".join([*lines, ""])
