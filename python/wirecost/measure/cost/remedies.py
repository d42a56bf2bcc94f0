# SPDX-License-Identifier: Apache-2.0
"""Changes that would make a system cheaper, with what each saves in the whole of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.changes import CHANGES, SEGMENT, Change, Gain, PricedTopic
from wirecost.measure.cost.pricing import Pricing
from wirecost.results.records.cost import EFFORTS, Remedy, TopicCost
from wirecost.system.foreign import shell_line

WORTH_BYTES, WORTH_SHARE = 1e6, 0.01
"""Bytes a second and share of a core from which on a change is worth doing."""
LOSING = frozenset(change.kind for change in CHANGES if change.loses)

Topic = tuple[TopicSurvey, TopicCost]


def remedies(files: Sequence[str], topics: Sequence[Topic], pricing: Pricing) -> list[Remedy]:
    """Return what changes would save, each by itself, first those with most gain for the effort.

    ``files``: as ``SystemCost`` has them. A remedy's number, from 1, is its place.
    """
    offered: list[Remedy] = []
    for read, cost in topics:
        topic = PricedTopic(read, cost, pricing)
        for change in CHANGES:
            if cost.has_rate and cost.count and change.applies(topic):
                gain = change.gain(topic)
                if gain is not None and gain.is_any:
                    offered.append(_remedy(topic, change, gain))
    offered.sort(key=_rank)
    return [_with_command(one, number, files) for number, one in enumerate(_once(offered), 1)]


def _remedy(topic: PricedTopic, change: Change, gain: Gain) -> Remedy:
    cost, bytes_per_s = topic.cost, gain.bytes_share * topic.cost.bytes_per_s
    remedy = Remedy(
        topic=cost.topic,
        kind=change.kind,
        what=change.what(topic),
        bytes_per_s=bytes_per_s,
        latency=gain.latency,
        memory=gain.memory,
        effort=change.effort,
        is_sure=gain.is_sure,
        is_measured=gain.is_measured,
    )
    remedy = with_gain(remedy, gain, cost)
    is_large = bytes_per_s >= WORTH_BYTES or sure_share(remedy) >= WORTH_SHARE
    is_quick = change.kind == SEGMENT and cost.bytes_per_s >= WORTH_BYTES
    return _replaced(remedy, is_worth=is_large or is_quick)


def with_gain(remedy: Remedy, gain: Gain, cost: TopicCost) -> Remedy:
    """Return the same with the shares of a core that a gain saves of a topic."""
    publish_share, take_share = (ns * cost.rate_hz / 1e9 for ns in (gain.publish_ns, gain.take_ns))
    return _replaced(
        remedy,
        share=max(0.0, publish_share + take_share),
        publish_share=max(0.0, publish_share),
        take_share=max(0.0, take_share),
        spread=gain.spread(cost),
    )


def sure_share(remedy: Remedy) -> float:
    """Return the share of a core that is saved even where the times are as wrong as they may be."""
    return remedy.share * max(0.0, 1 - (1.0 if remedy.spread is None else remedy.spread))


def _rank(one: Remedy) -> tuple[object, ...]:
    """Return what sorts remedies: gain for the effort, first of those that give up nothing."""
    effort = 1 + EFFORTS.index(one.effort)
    is_for_time = not one.share and not one.bytes_per_s
    return (
        not one.is_worth, one.kind in LOSING, is_for_time, -one.share / effort,
        -one.bytes_per_s / effort, one.topic,
    )  # fmt: skip


def _once(offered: Sequence[Remedy]) -> list[Remedy]:
    """Return the same with a setting of all processes as advice for one topic only."""
    seen = False
    kept = []
    for one in offered:
        kept.append(_replaced(one, is_worth=one.is_worth and not (seen and one.kind == SEGMENT)))
        seen = seen or one.kind == SEGMENT
    kept.sort(key=lambda one: not one.is_worth)
    return kept


def _with_command(one: Remedy, number: int, files: Sequence[str]) -> Remedy:
    """Return the same with the command that proves it."""
    command = shell_line("wirecost", "cost", *files, "--prove", str(number))
    return _replaced(one, command=command)


def _replaced(one: Remedy, **values: object) -> Remedy:
    return msgspec.structs.replace(one, **values)
