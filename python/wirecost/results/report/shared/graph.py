# SPDX-License-Identifier: Apache-2.0
"""A graph of nodes and topics, drawn in rows: who gives to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import altair as alt

from wirecost.results.report.shared.axes import GREY, Mark, keyed, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.system.foreign import without_middle

NODE, TOPIC = "node", "topic"
COLOURS = {NODE: PALETTE[1], TOPIC: PALETTE[4]}
BESIDE = 3
"""Boxes side by side, so many as a phone has room for; what does not fit goes below."""
BESIDE_ON_PAPER, MOST_ON_PAPER = 6, 300
"""The same of a picture in a file, and how many boxes it has at most."""
HALF_WIDTH, HALF_HEIGHT = 0.46, 0.34
BETWEEN, LANES = 0.08, 4
"""Distance of lines beside all boxes, and how many of them have a place of their own."""
ROW = 46
"""Pixels."""
MOST = 60
"""Nodes and topics; of more, the ones that most others are connected to are drawn."""
LONGEST = 40

THINNEST, WIDEST = 1, 9
"""Pixels of a line that carries nothing, and what the widest one has more."""
SWITCH = "line_width"
"""Parameter that the reader chooses the width of lines by."""

Item = tuple[str, str]
"""Kind and name."""
Edge = tuple[Item, Item]
Place = tuple[float, float]
"""Middle of a box."""
ARROW: dict[str, Any] = {
    "filled": True,
    "size": 40,
    "shape": "triangle-up",
    "color": GREY,
    "opacity": 1,
}


@dataclass(frozen=True)
class EdgeWeight:
    """Width of an edge by kind; ``text``: the same in words.

    ``widths``: each from 0 to 1, by what it is of; all edges of a graph have the same.
    """

    widths: Mapping[str, float]
    text: str


@dataclass
class Graph:
    """Nodes and topics with what is known of each, in words, and who gives to whom.

    ``weights``: of edges, which are drawn as wide; ``marked``: edges of the costliest topic.
    """

    details: dict[Item, str] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    weights: dict[Edge, EdgeWeight] = field(default_factory=dict)
    marked: set[Edge] = field(default_factory=set)


def largest(graph: Graph, most: int = MOST) -> Graph:
    """Return the best connected part of a large graph."""
    degree: dict[Item, int] = {}
    for edge in graph.edges:
        for item in edge:
            degree[item] = degree.get(item, 0) + 1
    best_connected = set(sorted(graph.details, key=lambda item: -degree.get(item, 0))[:most])
    edges = [(a, b) for a, b in graph.edges if a in best_connected and b in best_connected]
    ends = {item for edge in edges for item in edge}
    details = {item: text for item, text in graph.details.items() if item in ends}
    return replace(graph, details=details, edges=edges)


def arranged(graph: Graph, beside: int = BESIDE) -> list[list[Item]]:
    """Return rows of boxes: each below those from which it is reached, apart from cycles."""
    after: dict[Item, list[Item]] = {}
    for begin, end in graph.edges:
        after.setdefault(begin, []).append(end)
    order, back = _topological(graph, after)
    forward = [edge for edge in graph.edges if edge not in back]
    rank = _ranks(order, forward)
    before: dict[Item, list[Item]] = {}
    for begin, end in forward:
        before.setdefault(end, []).append(begin)
    rows: list[list[Item]] = []
    at: dict[Item, float] = {}
    for number in range(max(rank.values(), default=-1) + 1):
        level = [item for item in order if rank[item] == number]
        level.sort(key=lambda item: _mean([at[other] for other in before.get(item, [])]))
        for first in range(0, len(level), beside):
            row = level[first : first + beside]
            rows.append(row)
            at |= {item: _across(i, len(row), beside) for i, item in enumerate(row)}
    return rows


def _ranks(order: Sequence[Item], forward: Sequence[Edge]) -> dict[Item, int]:
    """Return each item's longest way from a begin, then put it right above what it reaches."""
    after: dict[Item, list[Item]] = {}
    for begin, end in forward:
        after.setdefault(begin, []).append(end)
    rank = dict.fromkeys(order, 0)
    for item in order:
        for end in after.get(item, []):
            rank[end] = max(rank[end], rank[item] + 1)
    for item in reversed(order):
        if ends := after.get(item):
            rank[item] = min(rank[end] for end in ends) - 1
    return rank


def _topological(
    graph: Graph, after: Mapping[Item, Sequence[Item]]
) -> tuple[list[Item], set[Edge]]:
    """Return items in an order in which edges point forward, and the edges that do not."""
    targets = {end for _, end in graph.edges}
    starts = [item for item in graph.details if item not in targets]
    finished: list[Item] = []
    open_items: set[Item] = set()
    seen: set[Item] = set()
    back: set[Edge] = set()
    for start in [*starts, *graph.details]:
        if start in seen:
            continue
        seen.add(start)
        open_items.add(start)
        path = [(start, iter(after.get(start, [])))]
        while path:
            item, following = path[-1]
            end = next(following, None)
            if end is None:
                path.pop()
                open_items.discard(item)
                finished.append(item)
            elif end in open_items:
                back.add((item, end))
            elif end not in seen:
                seen.add(end)
                open_items.add(end)
                path.append((end, iter(after.get(end, []))))
    return finished[::-1], back


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _across(place: int, count: int, beside: int) -> float:
    """Return where the middle of a box is; boxes of a row stand in its middle."""
    return beside / 2 + place - (count - 1) / 2


def graph_chart(graph: Graph, rows: Sequence[Sequence[Item]]) -> alt.LayerChart | alt.FacetChart:
    beside = max([BESIDE, *map(len, rows)])
    at = {
        item: (_across(place, len(row), beside), number + 0.5)
        for number, row in enumerate(rows)
        for place, item in enumerate(row)
    }
    boxes = [_box(item, *at[item], graph.details[item]) for item in at]
    down = [
        _line(at[a], at[b]) | _weight(graph, (a, b)) for a, b in graph.edges if at[a][1] < at[b][1]
    ]
    up = [(at[a], at[b]) for a, b in graph.edges if at[a][1] >= at[b][1]]
    width = beside + BETWEEN * (min(len(up), LANES) + 1) * bool(up)
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[len(rows), 0], nice=False), axis=None)
    edges = plot(down).encode(x=x, y=y)
    labelled = plot(boxes).encode(y=y, tooltip=["name:N", "kind:N", "detail:N"])
    looks = {"columns": 2, "symbolType": "square"}
    layers = [
        _rules(edges, _widths(graph)),
        edges.mark_point(angle=180, **ARROW).encode(
            x=alt.X("x2:Q", axis=None), y=alt.Y("tip:Q", axis=None)
        ),
        labelled.mark_rect(cornerRadius=4, fillOpacity=0.35, stroke=GREY).encode(
            x=alt.X("left:Q", axis=None),
            x2="right:Q",
            y=alt.Y("top:Q", axis=None),
            y2="bottom:Q",
            color=keyed(alt.Color, "kind", COLOURS, COLOURS.values(), **looks),
        ),
        labelled.mark_text(fontSize=11, fontWeight="bold", dy=-6).encode(x=x, text="name:N"),
        labelled.mark_text(fontSize=10, dy=8).encode(x=x, text="detail:N"),
    ]
    if up:
        around = [mark for number, edge in enumerate(up) for mark in _around(number, beside, *edge)]
        back = plot(around).encode(x=x, y=y)
        layers += [
            back.mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1.5).encode(
                detail="edge:N", order="step:Q"
            ),
            back.mark_point(angle=270, **ARROW).transform_filter("datum.step == 3"),
        ]
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(
        width=WIDTH * beside // BESIDE, height=ROW * len(rows), title="Nodes and topics"
    )
    widths = _widths(graph)
    if len(widths) < 2:
        return drawn
    choice = alt.binding_radio(options=widths, name="Width of lines: ")
    return drawn.add_params(alt.param(SWITCH, value=widths[0], bind=choice))


def _widths(graph: Graph) -> list[str]:
    """Return what lines can be as wide as."""
    return list(next(iter(graph.weights.values())).widths) if graph.weights else []


def _weight(graph: Graph, edge: Edge) -> Mark:
    weight = graph.weights.get(edge)
    if weight is None:
        return {}
    return {
        **weight.widths,
        "detail": weight.text,
        "name": f"{edge[0][1]} → {edge[1][1]}",
        "marked": edge in graph.marked,
    }


def _rules(edges: alt.Chart, widths: Sequence[str]) -> alt.Chart:
    """Draw lines, as wide as what the reader chose, where their weights are known."""
    ends = {"x2": "x2:Q", "y2": "y2:Q"}
    if not widths:
        plain: alt.Chart = edges.mark_rule(opacity=0.6).encode(**ends)
        return plain
    chosen = SWITCH if len(widths) > 1 else f"'{widths[0]}'"
    wide = f"{THINNEST} + {WIDEST} * datum[{chosen}]"
    weighted: alt.Chart = (
        edges.transform_calculate(wide=wide)
        .mark_rule(opacity=0.6)
        .encode(
            **ends,
            strokeWidth=alt.StrokeWidth("wide:Q", scale=None),
            color=alt.when("datum.marked").then(alt.value(PALETTE[3])).otherwise(alt.value(GREY)),
            tooltip=["name:N", "detail:N"],
        )
    )
    return weighted


def _box(item: Item, x: float, y: float, detail: str) -> Mark:
    kind, name = item
    return {
        "kind": kind,
        "name": without_middle(name, LONGEST),
        "detail": detail,
        "x": x,
        "y": y,
        "left": x - HALF_WIDTH,
        "right": x + HALF_WIDTH,
        "top": y - HALF_HEIGHT,
        "bottom": y + HALF_HEIGHT,
    }


def _line(begin: Place, end: Place) -> Mark:
    """Return an arrow from the bottom of one box to the top of another."""
    (x, y), (x2, y2) = begin, end
    top = y2 - HALF_HEIGHT
    return {"x": x, "y": y + HALF_HEIGHT, "x2": x2, "y2": top, "tip": top - HALF_HEIGHT / 8}


def _around(number: int, beside: int, begin: Place, end: Place) -> list[Mark]:
    """Return the corners of a line to an earlier box, right of all boxes."""
    (x, y), (x2, y2) = begin, end
    lane = beside + BETWEEN * (number % LANES + 0.5)
    corners = [(x + HALF_WIDTH, y), (lane, y), (lane, y2), (x2 + HALF_WIDTH, y2)]
    return [
        {"edge": number, "step": step, "x": across, "y": down}
        for step, (across, down) in enumerate(corners)
    ]


def graph_figure(name: str, whole: Graph, caption: str, on_paper: bool) -> Figure | None:
    """Draw the best connected part of a graph; None where it has no line."""
    most, beside = (MOST_ON_PAPER, BESIDE_ON_PAPER) if on_paper else (MOST, BESIDE)
    graph = largest(whole, most)
    if not graph.edges:
        return None
    if len(whole.details) > len(graph.details):
        caption += f" {len(graph.details)} of {len(whole.details)} nodes and topics."
    return Figure(name, caption, graph_chart(graph, arranged(graph, beside)))
