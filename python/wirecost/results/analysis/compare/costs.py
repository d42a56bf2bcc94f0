# SPDX-License-Identifier: Apache-2.0
"""Two states of a system: topics that came, went, or grew in rate, size or cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirecost.results.records.cost import SystemCost, TopicCost

CAME, WENT = "came", "went"
LEAST_BYTES = 1_000.0
"""Bytes a second whose change is never worth a line, however large it is in relation."""


@dataclass(frozen=True)
class TopicChange:
    """A topic before and after, None where it was not there.

    ``grown``: what of ``rate``, ``size`` and ``time`` of a message changed by more than the margin;
    ``vehicle``: the one that it is of, empty where there is one alone.
    """

    before: TopicCost | None
    after: TopicCost | None
    grown: tuple[str, ...] = ()
    vehicle: str = ""

    @property
    def topic(self) -> TopicCost:
        topic = self.after or self.before
        assert topic is not None
        return topic

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second more than before."""
        return _sum(self.after, "bytes_per_s") - _sum(self.before, "bytes_per_s")

    @property
    def share(self) -> float:
        """Share of a core more than before."""
        return _sum(self.after, "share") - _sum(self.before, "share")


def cost_changes(a: SystemCost, b: SystemCost, margin: float) -> list[TopicChange]:
    """Return what changed by more than ``margin``, the largest growth first."""
    before, after = (_by_key(cost.topics) for cost in (a, b))
    changes = []
    for key in dict.fromkeys([*after, *before]):
        earlier, other = before.get(key), after.get(key)
        if earlier is None or other is None:
            changes.append(TopicChange(earlier, other, (WENT if other is None else CAME,)))
        elif grown := tuple(_grown(earlier, other, margin)):
            changes.append(TopicChange(earlier, other, grown))
    return sort_changes(changes)


def sort_changes(changes: Iterable[TopicChange]) -> list[TopicChange]:
    """Return changes, the largest growth first."""
    return sorted(
        changes, key=lambda change: (-change.share, -change.bytes_per_s, change.topic.topic)
    )


def _by_key(topics: Sequence[TopicCost]) -> dict[tuple[str, str], TopicCost]:
    """Return topics by name and type; of several definitions of a type the costliest."""
    topics_by_key: dict[tuple[str, str], TopicCost] = {}
    for topic in topics:
        topics_by_key.setdefault((topic.topic, topic.type), topic)
    return topics_by_key


def _grown(before: TopicCost, after: TopicCost, margin: float) -> list[str]:
    if max(before.bytes_per_s, after.bytes_per_s) < LEAST_BYTES:
        return []
    pairs = {
        "rate": (before.rate_hz, after.rate_hz),
        "size": (before.mean_bytes, after.mean_bytes),
        "time": _message_ns(before, after),
    }
    return [
        name
        for name, (earlier, other) in pairs.items()
        if earlier and other is not None and abs(other - earlier) > margin * earlier
    ]


def _message_ns(before: TopicCost, after: TopicCost) -> tuple[float | None, float | None]:
    """Return what both ends take for a message; the codec alone, where only one knows the path."""
    has_path = before.send_ns is not None and after.send_ns is not None
    times = []
    for topic in (before, after):
        parts = [topic.encode_ns, topic.decode_ns]
        parts += [topic.send_ns, topic.receive_ns] if has_path else []
        times.append(None if None in parts else sum(part or 0.0 for part in parts))
    return times[0], times[1]


def _sum(topic: TopicCost | None, name: str) -> float:
    return 0.0 if topic is None else float(getattr(topic, name))
