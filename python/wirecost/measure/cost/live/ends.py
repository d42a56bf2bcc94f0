# SPDX-License-Identifier: Apache-2.0
"""Ends of topics with their nodes, rates and shares of a core, of what callers did so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.live.callers import Callers, TopicEnd
from wirecost.results.records.cost import EndCost


def end_costs(
    callers: Callers,
    topics: Mapping[str, TopicSurvey],
    nodes_of: Callable[[int], set[str]],
    but: int,
) -> list[EndCost]:
    """Return each end's cost but those of process ``but``, those that cost most first.

    Breakpoints are hit in every process that has loaded a library: also in those of other graphs.
    """
    ends = [end for end in callers.ends if callers.seconds(end.pid) and end.pid != but]
    sizes = _mean_sizes(ends)
    costs = []
    for pid, topic, is_publisher in dict.fromkeys(map(_key, ends)):
        own = [end for end in ends if _key(end) == (pid, topic, is_publisher)]
        if not any(end.messages or end.intra for end in own):
            continue
        seconds = callers.seconds(pid)
        rate_hz = sum(end.messages for end in own) / seconds
        survey = topics.get(topic)
        here = (survey.publishers if is_publisher else survey.subscribers) if survey else None
        cost = EndCost(
            pid=pid,
            nodes=sorted(nodes_of(pid).intersection(here or ())),
            topic=topic,
            is_publisher=is_publisher,
            rate_hz=rate_hz,
            intra_hz=sum(end.intra for end in own) / seconds,
            bytes_per_s=sizes[topic] * rate_hz if topic in sizes else None,
            call_share=sum(end.call_ns for end in own) / 1e9 / seconds,
            callback_share=sum(end.callback_ns for end in own) / 1e9 / seconds,
        )
        costs.append(cost)
    return sorted(costs, key=lambda cost: -cost.share)


def _key(end: TopicEnd) -> tuple[int, str, bool]:
    return end.pid, end.topic, end.is_publisher


def _mean_sizes(ends: list[TopicEnd]) -> dict[str, float]:
    """Return the mean bytes of a topic's messages, where a publisher of it was sampled."""
    sampled: dict[str, tuple[int, int]] = {}
    for end in ends:
        if end.sizes:
            count, size = sampled.get(end.topic, (0, 0))
            sampled[end.topic] = count + end.sizes, size + end.bytes
    return {topic: size / count for topic, (count, size) in sampled.items()}
