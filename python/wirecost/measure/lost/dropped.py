# SPDX-License-Identifier: Apache-2.0
"""Missing messages of which the recorder says that they fell out of its cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wirecost.results.records.lost import CACHE, LOST, UNKNOWN, Gap, GapSum, TopicGaps

NEAR = 0.9
"""Share of what a rate lets expect from which on a count explains all of it."""


def with_dropped(topics: Sequence[TopicGaps], dropped: Mapping[str, int]) -> list[TopicGaps]:
    """Return topics, with what their recorder dropped: the first of each name has it all."""
    left = dict(dropped)
    every = [_explained(topic, left.pop(topic.topic, 0)) for topic in topics]
    return every + [_explained(TopicGaps(topic=name, count=0), left[name]) for name in left]


def _explained(topic: TopicGaps, count: int) -> TopicGaps:
    """Return a topic whose gaps are the recorder's where its count explains all that is missing."""
    if not count:
        return topic
    sums, gaps = dict(topic.sums), list(topic.gaps)
    cache = GapSum(gaps=0, missing=count)
    for verdict in (LOST, UNKNOWN):
        if verdict in sums:
            lacking = sums[verdict]
            if count >= lacking.missing * (NEAR if verdict == UNKNOWN else 1):
                cache = GapSum(gaps=lacking.gaps, missing=count)
                del sums[verdict]
                gaps = [_renamed(gap) if gap.verdict == verdict else gap for gap in gaps]
            else:
                sums[verdict] = GapSum(gaps=lacking.gaps, missing=lacking.missing - count)
            break
    return msgspec.structs.replace(topic, sums={CACHE: cache} | sums, gaps=gaps)


def _renamed(gap: Gap) -> Gap:
    return msgspec.structs.replace(gap, verdict=CACHE)
