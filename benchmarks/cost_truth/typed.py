# SPDX-License-Identifier: Apache-2.0
"""Rows of messages with fields in C++: code compiled for the type, and its bytes on their way."""

from __future__ import annotations

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.calibration import AbsentError, contender_of, stage_times
from wirecost.measure.cost.paths import MIDDLEWARES
from wirecost.measure.cost.prices import PREFERRED, STAGES, known_prices
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.standins.description import StandIn
from wirecost.measure.standins.processes import StandInProcesses

from .calibrating import PathRounds, Say
from .robot import TOPICS, robot_survey
from .truth import CALIBRATED, ROUNDS, TURN_S, Truth, Truths, mean_with_noise

SENT = ("/imu", "/odom", "/path", "/map", "/points")
"""Topics of the robot that are published in C++."""
RATES_HZ = {topic.name: topic.hz for topic in TOPICS}
REPETITIONS = 3


def typed_truths(prices: PathRounds, say: Say) -> Truths:
    """Return what both ends of some topics take. Raises UserError, ProgramFailedError."""
    known, way = known_prices(), prices.path
    library = way.library(None)
    read = robot_survey({topic.name: topic.messages(way.wire) for topic in TOPICS}, way.wire)
    surveys = {one.connection.topic: one for one in read.topics if one.connection.topic in SENT}
    codes = {topic: _code(survey) for topic, survey in surveys.items()}
    publish: dict[str, list[float]] = {topic: [] for topic in surveys}
    take: dict[str, list[float]] = {topic: [] for topic in surveys}
    with StandInProcesses(library, 1) as processes:
        for number in range(ROUNDS):
            if number % CALIBRATED == 0:
                path = prices.measured()
            for topic, survey in surveys.items():
                say(f"{codes[topic][0]}: {topic}, round {number + 1} of {ROUNDS}")
                messages, hz = list(survey.sample.values()), RATES_HZ[topic]
                processes.open(StandIn(library, survey.connection.type, messages, hz, 1))
                turn = processes.turn(TURN_S)
                times = stage_times(*codes[topic][1], [messages], REPETITIONS)[0]
                encode_ns, decode_ns = (sum(times[one]) / len(times[one]) for one in STAGES)
                publish[topic].append(turn.publisher_share + encode_ns * hz / 1e9)
                take[topic].append(turn.subscriber_share + decode_ns * hz / 1e9)
    shares = []
    for topic, survey in surveys.items():
        codec, hz = codes[topic][0], RATES_HZ[topic]
        assert survey.parts is not None
        priced = known.of_library("cpp", codec, way.wire, survey.parts)
        if priced is None:
            continue
        size = sum(map(len, survey.sample.values())) / len(survey.sample)
        system = f"plain over {MIDDLEWARES[way.middleware]}, C++ with {codec}"
        for end, ns, seen in (
            ("publish", priced.encode_ns + path.send_ns(size, 1, hz), publish[topic]),
            ("take", priced.decode_ns + path.receive_ns(size, hz), take[topic]),
        ):
            what = f"{end} {survey.connection.type}"
            shares.append(Truth(system, what, ns * hz / 1e9, *mean_with_noise(seen)))
    return Truths(shares, [])


def _code(survey: TopicSurvey) -> tuple[str, tuple[MessageBackend, Contender]]:
    """Return the first library that is here of those that nodes use. Raises AbsentError."""
    assert survey.subject is not None
    why = AbsentError(f"{survey.connection.type}: no library is here")
    for library in PREFERRED["cpp", survey.connection.wire]:
        try:
            return library, contender_of(survey.subject, "cpp", library, lambda _text: None)
        except AbsentError as error:
            why = error
    raise why
