# SPDX-License-Identifier: Apache-2.0
"""Times of the costliest topics, measured with their own generated code instead of computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice

import msgspec

from wirecost.data.clouds.point_cloud2 import is_cloud, remove_padding
from wirecost.data.recordings.survey import SAMPLED, TopicSurvey
from wirecost.measure.cost.calibration import AbsentError, Observation, observed
from wirecost.measure.cost.prices import PREFERRED
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.remedies import remedies
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

MEASURED_BYTES = 16 << 20
"""Bytes of a topic's messages that are measured, as ``bench message`` reads recordings."""

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
    pricing: Pricing,
    say: Say,
) -> SystemCost:
    """Return the same with measured times of these topics, sorted anew, and what follows."""
    by_key = {(one.connection.topic, one.connection.type): one for one in surveys}
    complaints: list[str] = []
    topics = [
        _measured(topic, by_key[topic.topic, topic.type], pricing.lang, say, complaints)
        if topic.topic in wanted
        else topic
        for topic in cost.topics
    ]
    topics.sort(key=lambda topic: (-topic.share, -topic.bytes_per_s, topic.topic))
    read = [(by_key[topic.topic, topic.type], topic) for topic in topics]
    gains = remedies(cost.files, read, pricing)
    warnings = [*cost.warnings, *complaints]
    return msgspec.structs.replace(cost, topics=topics, remedies=gains, warnings=warnings)


def _measured(
    topic: TopicCost, read: TopicSurvey, lang: str, say: Say, complaints: list[str]
) -> TopicCost:
    """Return the same with measured times, else as it was, with a complaint."""
    if read.subject is None or not read.sample:
        complaints.append(f"{topic.topic} is not measured: {topic.unknown or 'it has no message'}")
        return topic
    why = f"no library of {topic.wire} is measured in this language"
    for library in PREFERRED.get((lang, topic.wire), ()):
        try:
            seen, *packed = observed(read.subject, lang, library, contents_of(read), say) or (None,)
        except AbsentError as error:
            why = f"{library} is not here: {error}"
            continue
        except (ProgramFailedError, UserError) as error:
            why = str(error)
            continue
        if seen is not None:
            factor = topic.mean_bytes / seen.bytes if seen.bytes else 1.0
            encode_ns, decode_ns = _times(seen, factor)
            return msgspec.structs.replace(
                topic,
                library=library,
                encode_ns=encode_ns,
                decode_ns=decode_ns,
                packed_ns=_times(packed[0], factor) if packed else None,
                is_measured=True,
            )
    other = "; or measure Python with --lang python" if lang == "cpp" else ""
    complaints.append(f"{topic.topic} is not measured: {why}{other}")
    return topic


def _times(seen: Observation, factor: float) -> tuple[float, float]:
    """Return nanoseconds of encoding and decoding a message of the topic's mean size."""
    return factor * seen.ns["encode"], factor * seen.ns["decode"]


def contents_of(read: TopicSurvey) -> list[list[bytes]]:
    """Return the sample's messages as their own library writes them; and clouds without padding.

    Where the sample is a few large messages they are repeated, each in memory of its own: one that
    was read a moment ago would still lie in the cache, as none does that another process sent.
    """
    assert read.subject is not None
    whole, packed = [], []
    for message in read.whole_messages():
        message.DiscardUnknownFields()
        whole.append(read.subject.write(message))
        if is_cloud(read.connection.type) and remove_padding(message):
            packed.append(read.subject.write(message))
    if not whole:
        raise UserError(f"{read.connection.topic}: none of its messages is of its type")
    mean = sum(map(len, whole)) / len(whole)
    copies = max(len(whole), min(SAMPLED, round(MEASURED_BYTES / max(1.0, mean))))
    contents = [whole, packed] if len(packed) == len(whole) else [whole]
    return [list(islice(cycle(messages), copies)) for messages in contents]
