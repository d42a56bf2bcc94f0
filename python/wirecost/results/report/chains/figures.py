# SPDX-License-Identifier: Apache-2.0
"""Figure of chains: the graph of nodes and topics, as wide as the time they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wirecost.results.analysis.chains.walk import Chain
from wirecost.results.report.shared import units
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.graph import (
    NODE,
    TOPIC,
    Edge,
    EdgeWeight,
    Graph,
    Item,
    graph_figure,
)

TRANSPORT, PUBLISH = "transport of ", "publish "
"""How the names of parts begin that say a topic."""


@dataclass
class _Walked:
    """Nanoseconds of one chain along its edges, and in the node where it ends."""

    edges: dict[Edge, int] = field(default_factory=dict)
    last: tuple[Item, int] | None = None


def chain_figures(chains: Sequence[Chain], on_paper: bool) -> list[Figure]:
    """Draw nodes and topics of chains; none where no message was on the way."""
    caption = (
        "Nodes and topics of the chains, in the order of the arrows. A line to a node is as wide "
        "as transport and waiting take of all chains' time, a line from it as the node does. "
        "Red: the path that takes longest in the median."
    )
    figure = graph_figure("chains", chain_graph(chains), caption, on_paper)
    return [figure] if figure is not None else []


def chain_graph(chains: Sequence[Chain]) -> Graph:
    """Return the graph of chains, each edge with its share of the time of all of them."""
    walked = [_walk(chain) for chain in chains]
    whole_ns = sum(chain.ns for chain in chains)
    along: dict[Edge, list[int]] = {}
    inside: dict[Item, list[int]] = {}
    for walk in walked:
        for edge, ns in walk.edges.items():
            along.setdefault(edge, []).append(ns)
            inside.setdefault(edge[0], []).append(ns)
        if walk.last is not None:
            inside.setdefault(walk.last[0], []).append(walk.last[1])
    most_ns = max((sum(times) for times in along.values()), default=0) or 1
    graph = Graph(edges=list(along), marked=_longest(chains, walked))
    for edge, times in along.items():
        text = f"{units.percent(sum(times) / (whole_ns or 1))} of the time, {_median(times)}"
        graph.weights[edge] = EdgeWeight({"latency": sum(times) / most_ns}, text)
        for item in edge:
            graph.details[item] = _median(inside[item]) if item in inside else ""
    return graph


def _median(times: Sequence[int]) -> str:
    return f"{units.time(float(np.median(times)))} in the median"


def _walk(chain: Chain) -> _Walked:
    """Return times along the edges: waits to the node that waits, what follows to what it gives."""
    walked = _Walked()
    topic: Item | None = None
    node: Item | None = None
    ns = 0
    for part in chain.parts:
        if part.kind == "transport":
            topic = (TOPIC, part.name.removeprefix(TRANSPORT))
            _add(walked.edges, node, topic, ns)
            node, ns = None, 0
        elif part.kind == "queue wait" and topic is None:
            # Nobody recorded the publisher: the chain begins as the message is received.
            topic = (TOPIC, part.name.removeprefix(f"{part.node} ").split(" ")[0])
        elif part.kind == "publish":
            node = node or (NODE, part.node)
            _add(walked.edges, node, (TOPIC, part.name.removeprefix(PUBLISH)), ns + part.ns)
            return walked
        ns += part.ns
        if part.kind == "callback" and node is None:
            node = (NODE, part.node)
            _add(walked.edges, topic, node, ns - part.ns)
            ns = part.ns
    if node is not None:
        walked.last = (node, ns)
    return walked


def _add(edges: dict[Edge, int], begin: Item | None, end: Item, ns: int) -> None:
    if begin is not None:
        edges[begin, end] = edges.get((begin, end), 0) + ns


def _longest(chains: Sequence[Chain], walked: Sequence[_Walked]) -> set[Edge]:
    """Return the edges of the path whose chains take longest in the median."""
    times: dict[frozenset[Edge], list[int]] = {}
    for chain, walk in zip(chains, walked, strict=True):
        times.setdefault(frozenset(walk.edges), []).append(chain.ns)
    slowest = max(times.values(), key=lambda ns: float(np.median(ns)), default=None)
    return {edge for path, ns in times.items() if ns is slowest for edge in path}
