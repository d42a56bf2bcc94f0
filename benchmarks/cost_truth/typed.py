# SPDX-License-Identifier: Apache-2.0
"""Rows of messages with fields in C++: code compiled for the type, and its bytes on their way."""

from __future__ import annotations

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.calibration import AbsentError, contender_of, stage_times
from wirecost.measure.cost.path_calibration import paths_of
from wirecost.measure.cost.paths import MIDDLEWARES, PLAIN
from wirecost.measure.cost.prices import PREFERRED, STAGES, known_prices
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.standins.description import StandIn
from wirecost.measure.standins.processes import StandInProcesses

from .robot import TOPICS, robot_survey
from .truth import ROUNDS, TURN_S, Say, Truth, Truths, mean_with_noise

MIDDLEWARE = "fastdds"
SENT = ("/imu", "/odom", "/path", "/map", "/points")
"""Topics of the robot that are published in C++."""
REPETITIONS = 3


def typed_truths(say: Say) -> Truths:
    """Return what both ends of some topics take. Raises UserError, ProgramFailedError."""
    prices = known_prices()
    (way,) = paths_of(PLAIN, MIDDLEWARE)
    path, library = prices.paths.of(PLAIN, MIDDLEWARE), way.library(None)
    assert path is not None
    shares = []
    robot = [topic for topic in TOPICS if topic.name in SENT]
    read = robot_survey({topic.name: topic.messages(way.wire) for topic in TOPICS}, way.wire)
    with StandInProcesses(library, 1) as processes:
        for topic in robot:
            survey = next(one for one in read.topics if one.connection.topic == topic.name)
            codec, code = _code(survey)
            system = f"plain over {MIDDLEWARES[MIDDLEWARE]}, C++ with {codec}"
            say(f"{system}: {topic.type}")
            assert survey.parts is not None
            priced = prices.of_library("cpp", codec, way.wire, survey.parts)
            if priced is None:
                continue
            messages = list(survey.sample.values())
            size = sum(map(len, messages)) / len(messages)
            processes.open(StandIn(library, topic.type, messages, topic.hz, 1))
            publish, take = [], []
            for _ in range(ROUNDS):
                turn = processes.turn(TURN_S)
                times = stage_times(*code, [messages], REPETITIONS)[0]
                encode_ns, decode_ns = (sum(times[one]) / len(times[one]) for one in STAGES)
                publish.append(turn.publisher_share + encode_ns * topic.hz / 1e9)
                take.append(turn.subscriber_share + decode_ns * topic.hz / 1e9)
            shares += [
                Truth(system, f"{end} {topic.type}", ns * topic.hz / 1e9, *mean_with_noise(seen))
                for end, ns, seen in (
                    ("publish", priced.encode_ns + path.send_ns(size, 1, topic.hz), publish),
                    ("take", priced.decode_ns + path.receive_ns(size, topic.hz), take),
                )
            ]
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
