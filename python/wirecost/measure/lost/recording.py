# SPDX-License-Identifier: Apache-2.0
"""What a recording lacks: read once, looked at topic by topic, then together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wirecost.data.recordings.series import RecordingSeries
from wirecost.measure.lost.dropped import with_dropped
from wirecost.measure.lost.together import shared_gaps
from wirecost.measure.lost.topic import topic_gaps
from wirecost.results.records.lost import LostMessages


def lost_messages(files: Sequence[str], series: RecordingSeries) -> LostMessages:
    """Return what the topics of a recording lack; ``files``: for people."""
    begin_ns = _begin_ns(series)
    topics = [topic_gaps(topic, begin_ns) for topic in series.topics]
    topics = with_dropped(topics, series.dropped)
    topics.sort(key=lambda topic: (topic.topic, topic.publisher))
    return LostMessages(
        files=list(files),
        topics=topics,
        shared=shared_gaps(topics),
        jumps=series.jumps,
        recorder=series.recorder,
        warnings=series.warnings,
        is_whole=series.is_whole,
    )


def _begin_ns(series: RecordingSeries) -> int:
    """Return the first time of that part of the recording which has most messages."""
    parts = np.concatenate([topic.parts for topic in series.topics])
    times = np.concatenate([topic.times for topic in series.topics])
    values, counts = np.unique(parts, return_counts=True)
    return int(times[parts == values[counts.argmax()]].min())
