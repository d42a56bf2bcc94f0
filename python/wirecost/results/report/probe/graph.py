# SPDX-License-Identifier: Apache-2.0
"""The graph of a system of nodes: who publishes which topic, who takes it, how often, how late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirecost.results.analysis.probe_sections import SectionSummary
from wirecost.results.analysis.ros_names import RosPlace
from wirecost.results.report.shared import units
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.graph import NODE, TOPIC, Graph, arranged, graph_chart, largest

UNKNOWN = "?"
ON_THE_WAY = "publish→take"


def topic_graph(
    sections: Sequence[SectionSummary], places: Mapping[str, RosPlace]
) -> Figure | None:
    """Draw the topics that a recorded node publishes or takes; None where there are none."""
    graph = graph_of(sections, places)
    every = len(graph.details)
    graph = largest(graph)
    if not graph.edges:
        return None
    rows = arranged(graph)
    caption = (
        "Which nodes publish and take each topic, in the order of the arrows; a dashed line "
        "leads back to an earlier one. A node shows its total time in callbacks; a topic shows "
        "its rate and the median time from publishing to taking."
    )
    if every > len(graph.details):
        caption += f" {len(graph.details)} of {every} nodes and topics."
    return Figure("topics", caption, graph_chart(graph, rows))


def graph_of(sections: Sequence[SectionSummary], places: Mapping[str, RosPlace]) -> Graph:
    """Return the graph without what every node has, such as ``/rosout``."""
    of_nodes = [
        (section, places[section.section]) for section in sections if section.section in places
    ]
    busy: dict[str, int] = {}
    for section, place in of_nodes:
        if place.is_callback:
            busy[place.node] = busy.get(place.node, 0) + section.total_ns
    placed = [
        (section, place)
        for section, place in of_nodes
        if not place.is_infrastructure and place.node != UNKNOWN
    ]
    graph = Graph()
    ways: dict[str, list[float]] = {}
    rates: dict[str, float] = {}
    for section, place in placed:
        node, topic = (NODE, place.node), (TOPIC, place.what)
        if place.kind == "publish":
            graph.edges.append((node, topic))
            rates[place.what] = rates.get(place.what, 0.0) + (section.rate_hz or 0.0)
        elif place.kind == "subscription":
            graph.edges.append((topic, node))
        elif place.kind == ON_THE_WAY and (median := section.percentiles_ns.get(50.0)) is not None:
            ways.setdefault(place.what, []).append(median)
    graph.edges = list(dict.fromkeys(graph.edges))
    for item in dict.fromkeys(item for edge in graph.edges for item in edge):
        kind, name = item
        graph.details[item] = (
            _of_topic(rates.get(name), ways.get(name, []))
            if kind == TOPIC
            else _of_node(busy, name)
        )
    return graph


def _of_topic(rate_hz: float | None, ways_ns: list[float]) -> str:
    rate = f"{units.significant(rate_hz)} Hz" if rate_hz else ""
    way = units.span(ways_ns, units.time, " to ") if ways_ns else ""
    return ", ".join(filter(None, (rate, way)))


def _of_node(busy: Mapping[str, int], name: str) -> str:
    return f"busy {units.time(busy[name])}" if busy.get(name) else ""
