# SPDX-License-Identifier: Apache-2.0
"""Remedies of messages that nothing sends: codecs of the topic's type, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean, median

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.calibration import OURS, contender_of, stage_times
from wirecost.measure.cost.changes import GENERATED, HALF
from wirecost.measure.cost.measured_topics import contents_of
from wirecost.measure.standins.turns import Say
from wirecost.results.records.cost import TopicCost
from wirecost.results.records.proof import StandInTurn, TurnPair

ROUNDS, REPETITIONS = 8, 3


def codec_turns(
    topic: TopicCost, survey: TopicSurvey, lang: str, kind: str, say: Say
) -> Iterator[TurnPair]:
    """Yield turns of the topic's library, and of ours or of half as many messages, each a process.

    A publisher encodes each message and every subscriber decodes it, as ``cost`` counts. Raises
    UserError.
    """
    assert survey.subject is not None
    messages = contents_of(survey)[0]
    sides = [
        contender_of(survey.subject, lang, library, lambda _text: None)
        for library in (topic.library, OURS if kind == GENERATED else topic.library)
    ]
    per_s = topic.mean_bytes / fmean(map(len, messages)) * topic.rate_hz
    rates = per_s, per_s / 2 if kind == HALF else per_s
    for number in range(ROUNDS):
        say(number, ROUNDS)
        places = (0, 1) if number % 2 else (1, 0)
        ns = {place: stage_times(*sides[place], [messages], REPETITIONS)[0] for place in places}
        before, after = (_turn(topic, rates[place], ns[place]) for place in (0, 1))
        yield TurnPair(before=before, after=after)


def _turn(topic: TopicCost, per_s: float, ns: dict[str, list[float]]) -> StandInTurn:
    return StandInTurn(
        publish_share=median(ns["encode"]) * per_s / 1e9,
        take_share=median(ns["decode"]) * per_s / 1e9 * topic.subscribers,
        idle_share=0.0,
        bytes_per_s=topic.mean_bytes * per_s,
        latency_ns=None,
        received=1.0,
    )
