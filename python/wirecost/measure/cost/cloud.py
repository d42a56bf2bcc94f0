# SPDX-License-Identifier: Apache-2.0
"""Clouds of a topic's sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wirecost.data.clouds.point_cloud2 import fields_apart, is_cloud
from wirecost.data.recordings.survey import TopicSurvey


def clouds(read: TopicSurvey) -> Iterator[Any]:
    """Yield those messages of the sample that are whole clouds of a point at least.

    They are Google's classes.
    """
    if is_cloud(read.connection.type):
        for message in read.whole_messages():
            points = message.width * message.height
            if points and message.point_step and len(message.data) >= points * message.point_step:
                yield message


def padding_share(read: TopicSurvey) -> float:
    """Return the share of a topic's bytes that lies between the fields of its points."""
    padding = total = 0
    for message in clouds(read):
        fields, used = fields_apart(message)
        if fields:
            points = len(message.data) // message.point_step
            padding += int(np.count_nonzero(~used)) * points
            total += len(message.data)
    size = sum(map(len, read.sample.values()))
    return min(padding, total) / size if size else 0.0
