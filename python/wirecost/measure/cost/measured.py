# SPDX-License-Identifier: Apache-2.0
"""Times of the costliest topics, measured with their own generated code instead of computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from google.protobuf.message import DecodeError

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.calibration import observed
from wirecost.measure.cost.prices import PREFERRED, PriceList
from wirecost.measure.cost.remedies import remedies
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

Say = Callable[[str], None]


def chosen_topics(cost: SystemCost, asked: str) -> set[str]:
    """Return the topics that are meant: the costliest N, or names. Raises UserError."""
    names = [topic.topic for topic in cost.topics]
    if asked.isdecimal():
        return set(list(dict.fromkeys(names))[: int(asked)])
    wanted = set(asked.split(","))
    if absent := sorted(wanted - set(names)):
        raise UserError(f"--measure {absent[0]}: there is no such topic; give a number, or names")
    return wanted


def measured(
    cost: SystemCost,
    surveys: Sequence[TopicSurvey],
    wanted: set[str],
    prices: PriceList,
    say: Say,
) -> SystemCost:
    """Return the same with measured times of these topics, sorted anew, and what follows."""
    by_key = {(one.connection.topic, one.connection.type): one for one in surveys}
    topics = [
        _measured(topic, by_key[topic.topic, topic.type], cost.lang, say)
        if topic.topic in wanted
        else topic
        for topic in cost.topics
    ]
    topics.sort(key=lambda topic: (-topic.share, -topic.bytes_per_s, topic.topic))
    read = [(by_key[topic.topic, topic.type], topic) for topic in topics]
    gains = remedies(cost.files, read, prices, cost.lang)
    return msgspec.structs.replace(cost, topics=topics, remedies=gains)


def _measured(topic: TopicCost, read: TopicSurvey, lang: str, say: Say) -> TopicCost:
    if read.subject is None or not read.sample:
        return topic
    why = "no library is here"
    for library in PREFERRED.get((lang, topic.wire), ()):
        try:
            (seen,) = observed(read.subject, lang, library, [_whole(read)], say) or (None,)
        except (ProgramFailedError, UserError) as error:
            why = str(error)
            continue
        if seen is not None:
            factor = topic.mean_bytes / seen.bytes if seen.bytes else 1.0
            return msgspec.structs.replace(
                topic,
                library=library,
                encode_ns=factor * seen.ns["encode"],
                decode_ns=factor * seen.ns["decode"],
                is_measured=True,
            )
    say(f"{topic.topic}: not measured: {why}")
    return topic


def _whole(read: TopicSurvey) -> list[bytes]:
    """Return the sample's messages of the type, as its own library writes them."""
    assert read.subject is not None
    found = []
    for data in read.sample.values():
        try:
            message = read.subject.read(data, read.connection.wire)
            message.DiscardUnknownFields()
            found.append(read.subject.write(message))
        except (DecodeError, UserError, ValueError):
            continue
    if not found:
        raise UserError(f"{read.connection.topic}: none of its messages is of its type")
    return found
