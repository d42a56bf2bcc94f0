# SPDX-License-Identifier: Apache-2.0
"""What a recorded system spends, in figures: the graph of its nodes, and bars."""

from __future__ import annotations

import altair as alt

from wirecost.results.analysis.ros_names import INFRASTRUCTURE
from wirecost.results.records.shares import TRANSPORTS, StageShare, SystemShares
from wirecost.results.report.cost.answer import share
from wirecost.results.report.cost.figures import LONGEST, MOST_BARS
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import keyed, names_down, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.graph import (
    NODE,
    TOPIC,
    EdgeWeight,
    Graph,
    Item,
    graph_figure,
)
from wirecost.system.foreign import without_middle

PARTS = {
    "publish": PALETTE[0],
    "take": PALETTE[1],
    "deserialize": PALETTE[2],
    "callback": PALETTE[3],
}


def share_figures(shares: SystemShares, on_paper: bool) -> list[Figure]:
    """Return the graph of nodes and topics, and bars of what takes most."""
    drawn = (_graph(shares, on_paper), _bars(shares))
    return [figure for figure in drawn if figure is not None]


def _bars(shares: SystemShares) -> Figure | None:
    by_name: dict[str, list[StageShare]] = {}
    for stage in shares.stages:
        if shares.cost_ns(stage):
            name = f"{stage.node} · {stage.topic}" if stage.node else stage.name
            by_name.setdefault(name, []).append(stage)
    if not by_name:
        return None
    costliest = dict(list(by_name.items())[:MOST_BARS])
    marks = [
        {
            "name": without_middle(name, LONGEST),
            "part": stage.stage,
            "core": 100 * (shares.share(shares.cost_ns(stage)) or 0.0),
        }
        for name, stages in costliest.items()
        for stage in stages
    ]
    parts = {
        part: colour for part, colour in PARTS.items() if any(part == m["part"] for m in marks)
    }
    chart = (
        plot(marks)
        .mark_bar()
        .encode(
            x=alt.X("core:Q", title="% of a core"),
            y=names_down(
                "name", [without_middle(name, LONGEST) for name in costliest], labelLimit=280
            ),
            color=keyed(alt.Color, "part", parts, parts.values()),
            tooltip=["name:N", "part:N", alt.Tooltip("core:Q", format=".3~g")],
        )
        .properties(width=WIDTH - 160, title="What each node takes of a core for each topic")
    )
    caption = "Each stage without what runs inside it."
    if len(costliest) < len(by_name):
        caption += f" The costliest {len(costliest)} of {len(by_name)}."
    return Figure("shares", caption, chart)


def _graph(shares: SystemShares, on_paper: bool) -> Figure | None:
    caption = (
        "Who publishes and who takes each topic, in the order of the arrows; lines are as wide as "
        "a node's time for the topic, or as transport to it takes. Red: the costliest."
    )
    return graph_figure("graph", graph_of(shares), caption, on_paper)


def graph_of(shares: SystemShares) -> Graph:
    """Return nodes and topics, with what each node spends on a topic along the line between."""
    graph = Graph()
    topics = {stage.topic for stage in shares.stages if stage.topic.startswith("/")}
    costs: dict[tuple[Item, Item], float] = {}
    of_nodes: dict[Item, float] = {}
    for stage in shares.stages:
        if stage.node in ("", "?") or stage.topic in INFRASTRUCTURE:
            continue
        ns = shares.cost_ns(stage) or 0.0
        node, topic = (NODE, stage.node), (TOPIC, stage.topic)
        of_nodes[node] = of_nodes.get(node, 0.0) + ns
        if stage.topic in topics:
            edge = (node, topic) if stage.stage == "publish" else (topic, node)
            costs[edge] = costs.get(edge, 0.0) + ns
    waits = {
        ((TOPIC, wait.topic), (NODE, wait.node)): wait.median_ns
        for wait in shares.waits
        if wait.kind in TRANSPORTS
    }
    most_ns = max(costs.values(), default=0.0) or 1.0
    longest_ns = max((waits.get(edge, 0.0) for edge in costs), default=0.0) or 1.0
    for edge, ns in costs.items():
        wait_ns = waits.get(edge)
        text = f"{share(shares.share(ns) or 0.0)} of a core"
        text += f", {units.time(wait_ns)} of transport" if wait_ns is not None else ""
        widths = {"time of the node": ns / most_ns, "transport": (wait_ns or 0.0) / longest_ns}
        graph.weights[edge] = EdgeWeight(widths, text)
        graph.edges.append(edge)
        for item in edge:
            graph.details.setdefault(item, "")
            if item in of_nodes:
                graph.details[item] = f"{share(shares.share(of_nodes[item]) or 0.0)} of a core"
        if wait_ns is not None:
            longest = max(ns for (topic, _), ns in waits.items() if topic == edge[0])
            graph.details[edge[0]] = f"{units.time(longest)} of transport"
    if costs:
        graph.marked = {max(costs, key=lambda edge: costs[edge])}
    return graph
