# SPDX-License-Identifier: Apache-2.0
"""Bars of one column of a run that is kept: the figures that pages of results begin with.

The shortest bar comes first. That of the fastest contender is highlighted; a floor is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from documents.origins import machine
from documents.runs import read
from wirecost.results.report.shared.figure import PALETTE, PAPER_INK

WIDTH = 640
LABELS = 200
VALUES = 80
LINE = 22
TOP = 34
CELL = re.compile(r"([\d.]+) (ns|µs|ms|s)\b")
NS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
STYLE = (
    f"<style>svg {{ fill: {PAPER_INK} }} .paper {{ fill: white }} .bar {{ fill: #b4bac4 }} "
    f".fastest {{ fill: {PALETTE[0]} }} "
    "@media (prefers-color-scheme: dark) { "
    "svg { fill: #e6e6e6 } .paper { fill: #161b22 } .bar { fill: #5b6472 } "
    f".fastest {{ fill: {PALETTE[1]} }} }}</style>"
)
"""Colours for light and dark: an image cannot take them from the page around it."""


@dataclass(frozen=True)
class Bars:
    """``column`` of the table of that title: a bar for each row.

    With ``row``, that row: a bar for each column. With ``group``, only the indented rows that
    follow the row of that name.
    """

    run: str
    table: str
    text: str
    column: str = ""
    row: str = ""
    group: str = ""


_OSI = "829,440 reflections, 10 objects"
FIGURES = {
    "osi": Bars("osi", _OSI, f"{_OSI}: one message between two FMUs, median", "total"),
    "transport": Bars(
        "transport", "100 B, 500 Hz, 1 subscriber, loopback",
        "100 B at 500 Hz on one machine: latency, median", "p50",
    ),
    "tensor": Bars(
        "tensor", "Ratios · numpy", "200x200 float64 from process to process: total, median",
        "median",
    ),
    "wrapyfi": Bars(
        "wrapyfi", "200x200 float32, 160 kB", "NumPy, 200x200 float32: total, median", row="numpy",
    ),
    "notification": Bars(
        "notification", "C++ · ticket · total time per message, by size factor",
        "C++, size factor 64: total per message, median", "64",
    ),
    "classes": Bars(
        "classes", "full · time per operation, by objects",
        "1,000 whole objects: fill, encode, parse, destroy; median", "1,000", group="total",
    ),
    "cloud": Bars(
        "cloud", "ring, vlp16/1673400472138016708, 14831 points",
        "Ring outlier filter, 14,831 points: a callback, median", "median",
    ),
    "heap": Bars(
        "heap", "A lidar callback that allocates",
        "A callback that allocates: 99.9 % take at most", "p99.9",
    ),
    "probe": Bars(
        "probe", "software counters", "An empty section with software counters, median",
        "per section",
    ),
}  # fmt: skip
"""By the name of the file in ``docs/results``."""


def drawn(name: str) -> str:
    """Return the figure as SVG, in scale from 0. Raises KeyError for a cell that is not there."""
    bars = FIGURES[name]
    matches = ((label, CELL.match(cell)) for label, cell in _cells(bars))
    timed = [(float(match[1]) * NS[match[2]], label, match[0]) for label, match in matches if match]
    timed.sort(key=lambda bar: bar[0])
    fastest = next(label for _, label, _ in timed if "floor" not in label)
    kept = read(bars.run)
    caption = f"Shorter is faster. {kept.about['made']}, {machine(kept)}."
    longest, height = timed[-1][0], _at(len(timed)) + LINE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(bars.text)}</title>",
        STYLE,
        '<rect width="100%" height="100%" class="paper"/>',
        f'<text x="8" y="20" font-weight="bold">{escape(bars.text)}</text>',
    ]
    for i, (ns, label, shown) in enumerate(timed):
        length = round((WIDTH - LABELS - VALUES) * ns / longest, 1)
        bold, mark = (' font-weight="bold"', " fastest") if label == fastest else ("", "")
        lines += [
            f'<text x="{LABELS - 8}" y="{_at(i) + 15}" text-anchor="end"{bold}>'
            f"{escape(label)}</text>",
            f'<rect x="{LABELS}" y="{_at(i) + 3}" width="{length}" height="{LINE - 6}" '
            f'class="bar{mark}"/>',
            f'<text x="{LABELS + length + 6}" y="{_at(i) + 15}"{bold}>{shown}</text>',
        ]
    foot = f'<text x="8" y="{height - 8}" font-size="11">{escape(caption)}</text>'
    return "\n".join([*lines, foot, "</svg>", ""])


def _at(line: int) -> int:
    return TOP + line * LINE


def _cells(bars: Bars) -> list[tuple[str, str]]:
    """Return names and cells that have a bar."""
    table = read(bars.run).table(bars.table)
    if bars.row:
        row = next(row for row in table.rows if row[0] == bars.row)
        return list(zip(table.headings[1:], row[1:], strict=True))
    column = table.headings.index(bars.column)
    rows = table.rows
    if bars.group:
        first = [row[0] for row in rows].index(bars.group) + 1
        after = (i for i, row in enumerate(rows) if i >= first and not row[0].startswith(" "))
        rows = rows[first : next(after, len(rows))]
    return [(row[0].strip(), row[column]) for row in rows]
