# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost --live``: a running graph instead of a recording."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.cli.console import progress
from wirecost.system.byte_sizes import parse_size
from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.data.recordings.survey import RecordingSurvey
    from wirecost.measure.cost.live.graph import LiveGraph, LiveRequest
    from wirecost.measure.cost.pricing import Pricing
    from wirecost.results.records.cost import SystemCost
    from wirecost.system.terminal import Console


def request_of(
    system: str,
    seconds: str,
    limit: str,
    python: Path | None,
    domain: int | None,
    *,
    listens: bool,
    attaches: bool,
) -> LiveRequest:
    """Return what is asked of a graph; no ``seconds``: until Ctrl-C. Raises UserError."""
    from wirecost.data.messages.ros import installed
    from wirecost.measure.cost.live.graph import LISTENERS, ROS2, LiveRequest

    if system not in LISTENERS:
        *names, last = LISTENERS
        raise UserError(f"--live {system}: give {', '.join(names)} or {last}")
    if domain is not None and system != "dds":
        raise UserError("--domain is for --live dds; set ROS_DOMAIN_ID for ros2")
    if attaches and system != ROS2:
        raise UserError(f"--attach: sets breakpoints in rcl; use it with --live {ROS2}")
    installed.check(python)
    duration_s = nanoseconds("--for", seconds, "s") / 1e9 if seconds else float("inf")
    return LiveRequest(
        system=system,
        seconds=duration_s,
        limit=parse_size("--limit", limit),
        python=python,
        listens=listens and not attaches,
        domain=domain,
        attaches=attaches,
    )


def listened(
    request: LiveRequest,
    include: list[Path],
    counts: dict[str, int],
    about: Pricing,
    console: Console | None,
    port: int | None,
) -> tuple[RecordingSurvey, SystemCost, Pricing]:
    """Listen to a graph. Raises UserError.

    ``about``: without a language where each node has that of its process; ``console``: where a
    table is renewed meanwhile; ``port``: at which metrics are served.
    """
    from wirecost.measure.cost.live.graph import LiveGraph
    from wirecost.measure.cost.live.metrics import Metrics, metrics_of
    from wirecost.results.report.cost.system_answer import cost_answer
    from wirecost.results.report.shared.screen import print_answer

    is_whole = True
    with ExitStack() as stack:
        metrics = stack.enter_context(Metrics(port)) if port is not None else None
        graph = stack.enter_context(LiveGraph(request, include))
        advance = stack.enter_context(progress())
        try:
            for survey in graph.surveys():
                total = max(1, round(min(request.seconds, graph.seconds)))
                advance(round(graph.seconds), total, f"listening to {request.system}")
                if console is None and metrics is None:
                    continue
                so_far = _cost(graph, request, survey, _priced_as(about, graph), {})
                if metrics is not None:
                    metrics.text = metrics_of(so_far)
                if console is not None and so_far.topics:
                    console.clear()
                    print_answer(console, cost_answer(so_far))
        except KeyboardInterrupt:
            is_whole = False
        survey = graph.survey()
        survey.is_whole = is_whole or request.seconds == float("inf")
        if not survey.topics:
            name = f"--live {request.system}"
            raise UserError(f"{name}: no topic was found; is the graph in this ROS_DOMAIN_ID?")
        pricing = _priced_as(about, graph)
        return survey, _cost(graph, request, survey, pricing, counts), pricing


def _priced_as(about: Pricing, graph: LiveGraph) -> Pricing:
    """Return the same with the languages of the graph's processes, unless one was asked for."""
    return about if about.lang else replace(about, lang=graph.lang, langs=graph.langs)


def _cost(
    graph: LiveGraph,
    request: LiveRequest,
    survey: RecordingSurvey,
    pricing: Pricing,
    counts: dict[str, int],
) -> SystemCost:
    """Return what the graph costs as far as it is known now. Raises UserError."""
    import msgspec

    from wirecost.measure.cost.system_cost import system_cost
    from wirecost.results.records.cost import LIVE

    source = [LIVE, request.system]
    source += ["--domain", str(request.domain)] if request.domain is not None else []
    source += ["--python", str(request.python)] if request.python is not None else []
    source += ["--attach"] if request.attaches else []
    cost = system_cost(source, survey, pricing, counts)
    ends, lost = graph.ends()
    return msgspec.structs.replace(
        cost,
        processes=graph.processes(cost.topics),
        is_listened=request.listens,
        looking=graph.looking,
        ends=ends,
        lost_records=lost,
    )
