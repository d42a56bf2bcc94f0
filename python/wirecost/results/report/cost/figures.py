# SPDX-License-Identifier: Apache-2.0
"""A system's cost in figures: the graph of its topics, and bars."""

from __future__ import annotations

import altair as alt

from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.report.cost.answer import rate_of_bytes, share
from wirecost.results.report.shared.axes import keyed, names_down, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.graph import (
    NODE,
    TOPIC,
    Edge,
    EdgeWeight,
    Graph,
    graph_figure,
)
from wirecost.system.foreign import without_middle

MOST_BARS = 30
LONGEST = 48
PARTS = {"publish": PALETTE[0], "take": PALETTE[3]}


def cost_figures(cost: SystemCost, on_paper: bool) -> list[Figure]:
    """Return the graph, where it is known who takes what, and bars of the costliest topics."""
    return [figure for figure in (_graph(cost, on_paper), _bars(cost)) if figure is not None]


def _bars(cost: SystemCost) -> Figure | None:
    costliest = [topic for topic in cost.topics if topic.share][:MOST_BARS]
    if not costliest:
        return None
    marks = [
        {
            "topic": without_middle(topic.topic, LONGEST),
            "part": part,
            "core": 100 * (value or 0.0),
            "detail": f"{share(value or 0.0)} of a core",
        }
        for topic in costliest
        for part, value in (("publish", topic.publish_share), ("take", topic.take_share))
    ]
    names = list(dict.fromkeys(str(mark["topic"]) for mark in marks))
    chart = (
        plot(marks)
        .mark_bar()
        .encode(
            x=alt.X("core:Q", title="% of a core"),
            y=names_down("topic", names, labelLimit=280),
            color=keyed(alt.Color, "part", PARTS, PARTS.values()),
            tooltip=["topic:N", "part:N", "detail:N"],
        )
        .properties(width=WIDTH - 160, title="What each topic takes of a core")
    )
    caption = "Publishing, and taking by all subscribers, at the recorded rate."
    if len(costliest) < len(cost.topics):
        caption += f" The costliest {len(costliest)} of {len(cost.topics)} topics."
    return Figure("costs", caption, chart)


def _graph(cost: SystemCost, on_paper: bool) -> Figure | None:
    caption = (
        "Who publishes and who takes each topic, in the order of the arrows; lines are as wide as "
        "their bytes or their processor time. Red: the costliest topic."
    )
    return graph_figure("graph", graph_of(cost), caption, on_paper)


def graph_of(cost: SystemCost) -> Graph:
    """Return nodes and topics that have messages, with what goes along each line."""
    graph = Graph()
    topics = [topic for topic in cost.topics if topic.publishers is not None and topic.count]
    most_bytes = max((topic.bytes_per_s for topic in topics), default=0.0) or 1.0
    most_core = max((_most(topic) for topic in topics), default=0.0) or 1.0
    for topic in topics:
        item = (TOPIC, topic.topic)
        graph.details[item] = f"{topic.rate_hz:.3g} Hz, {rate_of_bytes(topic.bytes_per_s)}"
        publishers, takers = topic.publishers or [], topic.takers or []
        for node in publishers:
            _add(graph, ((NODE, node), item), topic, topic.publish_share, most_bytes, most_core)
        for node in takers:
            share_of_each = (topic.take_share or 0.0) / len(takers)
            _add(graph, (item, (NODE, node)), topic, share_of_each, most_bytes, most_core)
    if topics:
        first = (TOPIC, topics[0].topic)
        graph.marked = {edge for edge in graph.edges if first in edge}
    return graph


def _most(topic: TopicCost) -> float:
    takers = max(1, len(topic.takers or ()))
    return max(topic.publish_share or 0.0, (topic.take_share or 0.0) / takers)


def _add(
    graph: Graph,
    edge: Edge,
    topic: TopicCost,
    core: float | None,
    most_bytes: float,
    most_core: float,
) -> None:
    if edge in graph.weights:
        return
    for item in edge:
        graph.details.setdefault(item, "")
    graph.edges.append(edge)
    text = f"{rate_of_bytes(topic.bytes_per_s)}, {share(core or 0.0)} of a core"
    widths = {"bytes": topic.bytes_per_s / most_bytes, "processor": (core or 0.0) / most_core}
    graph.weights[edge] = EdgeWeight(widths, text)
