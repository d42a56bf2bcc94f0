# SPDX-License-Identifier: Apache-2.0
"""Parts of a whole as nested boxes, each as wide as its share and below what it is part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from wirecost.results.report.shared.figure import PALETTE, WIDTH

ROW_HEIGHT = 26
THINNEST = 0.002
"""Share of the width; thinner boxes are left out."""
DEEPEST = 6
ALMOST_ALL = 0.7
ROOM = "floor((datum.right - datum.left) * width / 6.6)"
"""Letters that a box has room for, of so many pixels each."""
FITTING = (
    f"length(datum.name) <= {ROOM} ? datum.name : {ROOM} < 5 ? '' : truncate(datum.name, {ROOM})"
)
"""As much of a part's name as fits, if that is any use."""


@dataclass(frozen=True)
class Box:
    """``left``, ``right``: shares of the whole."""

    path: str
    depth: int
    left: float
    right: float


def boxes(paths: Sequence[str], values: Mapping[str, float], separator: str = ".") -> list[Box]:
    """Place parts: each begins inside the one around it, in the order of ``paths``."""
    placed: dict[str, Box] = {}
    ends: dict[str, float] = {}
    for path in paths:
        value = values.get(path)
        outer = path.rpartition(separator)[0]
        if value is None or (outer and outer not in placed):
            continue
        around = placed[outer] if outer else Box("", -1, 0.0, 1.0)
        start = ends.get(outer, around.left)
        right = min(start + value, around.right)
        ends[outer] = right
        placed[path] = Box(path, around.depth + 1, start, right)
    return [
        box for box in placed.values() if box.right - box.left >= THINNEST and box.depth < DEEPEST
    ]


def icicle(
    title: str, found: Sequence[Box], paths: Sequence[str], separator: str = "."
) -> alt.LayerChart | alt.FacetChart:
    """Draw boxes, each below the one that it is part of; ``paths``: of all of them."""
    coloured = _coloured_depth(found)
    branches = list(dict.fromkeys(_branch(path, coloured, separator) for path in paths))
    values = [
        {
            "part": box.path,
            "branch": _branch(box.path, coloured, separator),
            "left": box.left,
            "right": box.right,
            "middle": (box.left + box.right) / 2,
            "top": box.depth,
            "bottom": box.depth + 1,
            "centre": box.depth + 0.5,
            "share": box.right - box.left,
            "name": box.path.rpartition(separator)[2],
        }
        for box in found
    ]
    depth = max((box.depth for box in found), default=0) + 1
    base = alt.Chart(alt.Data(values=values))
    across = alt.Scale(domain=[0, 1], nice=False)
    down = alt.Scale(domain=[depth, 0], nice=False)
    horizontal = alt.Axis(format="%", title=None, tickCount=5)
    rectangles = base.mark_rect(stroke="#8C8C8C", strokeWidth=1, fillOpacity=0.4).encode(
        x=alt.X("left:Q", scale=across, axis=horizontal),
        x2="right:Q",
        y=alt.Y("top:Q", scale=down, axis=None),
        y2="bottom:Q",
        color=alt.Color(
            "branch:N",
            scale=alt.Scale(
                domain=branches, range=[PALETTE[i % len(PALETTE)] for i in range(len(branches))]
            ),
            legend=None,
        ),
        tooltip=["part:N", alt.Tooltip("share:Q", format=".1%")],
    )
    labels = (
        base.transform_calculate(label=FITTING)
        .mark_text(fontSize=11)
        .encode(
            x=alt.X("middle:Q", scale=across),
            y=alt.Y("centre:Q", scale=down, axis=None),
            text="label:N",
        )
    )
    return alt.layer(rectangles, labels).properties(
        width=WIDTH, height=ROW_HEIGHT * depth, title=title
    )


def _coloured_depth(found: Sequence[Box]) -> int:
    """Return the first at which no part has almost all, so that colours tell parts apart."""
    for depth in range(DEEPEST):
        widths = [box.right - box.left for box in found if box.depth == depth]
        if max(widths, default=0.0) < ALMOST_ALL:
            return depth
    return 0


def _branch(path: str, depth: int, separator: str) -> str:
    return separator.join(path.split(separator)[: depth + 1])
