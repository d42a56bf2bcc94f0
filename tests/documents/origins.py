# SPDX-License-Identifier: Apache-2.0
"""The table of where the runs of ``docs/results`` were made."""

from __future__ import annotations

import re
from collections import Counter

from documents.runs import RESULTS, Kept, read
from wirecost.results.report.shared import markdown

BLOCK = re.compile(r"(?<=<!-- runs that are kept -->\n).*?(?=<!-- end of runs -->)", re.DOTALL)
HEADINGS = ["runs", "commit, machine where it is another", "made"]


def written(text: str) -> str:
    """Return a document with the table as it must be."""
    return BLOCK.sub(lambda _: table(), text)


def table() -> str:
    """Return the machine of most runs, and a row for each commit and date, the newest first."""
    names: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(path.stem for path in RESULTS.glob("*.json")):
        kept = read(name)
        key = kept.about["made"], kept.about["commit"], machine(kept)
        names.setdefault(key, []).append(name)
    machines = Counter(where for _, _, where in names)
    usual = max(machines, key=lambda where: machines[where])
    lines = [f"Machine: {usual}.", "", markdown.line(HEADINGS), "|:--|:--|:--|"]
    for made, commit, where in sorted(names, reverse=True):
        runs = ", ".join(names[made, commit, where])
        there = "" if where == usual else f", {where}"
        lines.append(markdown.line([runs, commit + there, made]))
    return "\n".join([*lines, ""])


def machine(kept: Kept) -> str:
    """Return the machine of a run, without the operating system."""
    return kept.about["machine"].rpartition(", ")[0]
