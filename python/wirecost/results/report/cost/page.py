# SPDX-License-Identifier: Apache-2.0
"""A system's cost as a page: the answer, the graph of its topics, bars, tables."""

from __future__ import annotations

from pathlib import Path

import altair as alt

from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.report.cost.answer import (
    doubts,
    qos_hints,
    rate_of_bytes,
    sentence,
    share,
    step,
    tables,
)
from wirecost.results.report.shared.axes import keyed, names_down, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.figure_files import draw_report
from wirecost.results.report.shared.graph import (
    BESIDE,
    BESIDE_ON_PAPER,
    MOST,
    MOST_ON_PAPER,
    NODE,
    TOPIC,
    Edge,
    EdgeWeight,
    Graph,
    graph_figure,
)
from wirecost.results.report.shared.page import render
from wirecost.system.errors import UserError
from wirecost.system.printable import without_middle

MOST_BARS = 30
LONGEST = 48
PARTS = {"encode": PALETTE[0], "decode": PALETTE[3]}


def page(cost: SystemCost) -> str:
    """Return one file that works offline, in light and dark."""
    figures = cost_figures(cost)
    return render(
        "answer.html.j2",
        figures,
        title=f"wirecost cost · {', '.join(cost.files)}",
        heading=f"What {', '.join(cost.files)} costs",
        lead=sentence(cost),
        figures=figures,
        steps=[step(one).replace("\n", " `") + "`" for one in cost.worth] + qos_hints(cost),
        doubts=[text for text, _ in doubts(cost)],
        warnings=cost.warnings,
        tables=list(tables(cost)),
    )


def cost_figures(cost: SystemCost) -> list[Figure]:
    """Return the graph, where it is known who takes what, and bars of the costliest topics."""
    return [figure for figure in (_graph(cost), _bars(cost)) if figure is not None]


def draw_figure(cost: SystemCost, path: Path) -> None:
    """Draw the graph, or bars where nobody says who takes what; the suffix decides the format.

    Raises UserError.
    """
    figure = _graph(cost, MOST_ON_PAPER, BESIDE_ON_PAPER) or _bars(cost)
    if figure is None:
        raise UserError(f"--report {path}: no topic has a time or ends that are known")
    draw_report(figure, path)


def _bars(cost: SystemCost) -> Figure | None:
    shown = [topic for topic in cost.topics if topic.share][:MOST_BARS]
    if not shown:
        return None
    marks = [
        {
            "topic": without_middle(topic.topic, LONGEST),
            "part": part,
            "core": 100 * (value or 0.0),
            "detail": f"{share(value or 0.0)} of a core",
        }
        for topic in shown
        for part, value in (("encode", topic.encode_share), ("decode", topic.decode_share))
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
    caption = "Encoding at the publisher and decoding at all subscribers, at the recorded rate."
    if len(shown) < len(cost.topics):
        caption += f" The costliest {len(shown)} of {len(cost.topics)} topics."
    return Figure("costs", caption, chart)


def _graph(cost: SystemCost, most: int = MOST, beside: int = BESIDE) -> Figure | None:
    caption = (
        "Who publishes and who takes each topic, in the order of the arrows; lines are as wide as "
        "their bytes or their processor time. Red: the costliest topic."
    )
    return graph_figure("graph", graph_of(cost), caption, most, beside)


def graph_of(cost: SystemCost) -> Graph:
    """Return nodes and topics that have messages, with what goes along each line."""
    graph = Graph()
    known = [topic for topic in cost.topics if topic.publishers is not None and topic.count]
    most_bytes = max((topic.bytes_per_s for topic in known), default=0.0) or 1.0
    most_core = max((_most(topic) for topic in known), default=0.0) or 1.0
    for topic in known:
        item = (TOPIC, topic.topic)
        graph.details[item] = f"{topic.rate_hz:.3g} Hz, {rate_of_bytes(topic.bytes_per_s)}"
        publishers, takers = topic.publishers or [], topic.takers or []
        for node in publishers:
            _add(graph, ((NODE, node), item), topic, topic.encode_share, most_bytes, most_core)
        for node in takers:
            one = (topic.decode_share or 0.0) / len(takers)
            _add(graph, (item, (NODE, node)), topic, one, most_bytes, most_core)
    if known:
        first = (TOPIC, known[0].topic)
        graph.marked = {edge for edge in graph.edges if first in edge}
    return graph


def _most(topic: TopicCost) -> float:
    takers = max(1, len(topic.takers or ()))
    return max(topic.encode_share or 0.0, (topic.decode_share or 0.0) / takers)


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
