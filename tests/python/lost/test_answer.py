# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost lost`` prints: one screen, names of others, and the remedy that applies."""

from __future__ import annotations

import pytest

from support.answers import all_of, first_screen
from wirecost.measure.lost.together import shared_gaps
from wirecost.results.records.lost import (
    LATE,
    LOST,
    UNKNOWN,
    UNPUBLISHED,
    Gap,
    GapSum,
    LostMessages,
    TopicGaps,
)
from wirecost.results.report.lost import lost_answer


def topic(name: str, verdict: str = "", missing: int = 0, **about: object) -> TopicGaps:
    gap = Gap(start_s=5.0, duration_s=2.0, missing=missing, verdict=verdict)
    sums = {verdict: GapSum(gaps=1, missing=missing)} if verdict else {}
    settings = {"period_s": 0.1, "wire": "cdr", "last_s": 20.0} | about
    return TopicGaps(topic=name, count=200, sums=sums, gaps=[gap] if verdict else [], **settings)


def screen(*topics: TopicGaps, jumps: int = 0) -> str:
    found = LostMessages(
        files=["drive.bag"], topics=list(topics), shared=shared_gaps(topics), jumps=jumps
    )
    return first_screen(lost_answer(found))


def test_it_fits_one_screen_and_shows_what_is_missing_first() -> None:
    names = [f"/robot/sensors/number_{number}/very/long/name" for number in range(40)]
    topics = [
        topic(name, (LOST, UNKNOWN, UNPUBLISHED, LATE)[at % 4], at * (at % 4 < 2), wire="ros1")
        for at, name in enumerate(names)
    ]
    silent = topic("/rosout", period_s=None)
    lines = screen(*topics, silent, jumps=3).splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "messages of 9 topics are missing" in lines[0]
    assert "number_36" in lines[6]


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([topic("/a", numbered="header.seq")], "No loss shows in the numbers of 1 topic."),
        ([topic("/a"), topic("/b")], "No loss shows in the rate of 2 topics."),
        ([topic("/a", period_s=None)], "cannot tell of any topic whether messages are missing."),
        ([topic("/a", UNKNOWN, 1)], "About 1 message of 1 topic is missing, and the file cannot"),
        ([topic("/a", LOST, 1)], "1 message of 1 topic is missing: its number is not in the file"),
        ([topic("/a", LOST, 9, wire="json")], "Record on the publisher's machine, too"),
        ([topic("/a", LOST, 9)], "wirecost lost --live ros2"),
        ([topic("/a", UNKNOWN, 9)], "wirecost lost --live ros2"),
        ([topic("/a", UNKNOWN, 9, wire="ros1")], "Give the message a Header as its first field"),
        ([topic("/a", LOST, 9, wire="ros1"), topic("/b")], "Raise the publishers' queue_size"),
        (
            [topic("/a", LOST, 9, wire="ros1"), topic("/b", LOST, 9, wire="ros1")],
            "rosbag record --all --buffsize=1024",
        ),
        ([topic("/a", last_s=8.0), topic("/b")], "/a ends 12.0 s before the recording"),
        ([topic("/a", step=9)], "numbers grow by 9 with a message at a steady rate"),
    ],
)
def test_the_sentence_and_the_remedy_fit(topics: list[TopicGaps], said: str) -> None:
    assert said in " ".join(screen(*topics).split())


def test_names_of_others_cannot_command_a_terminal() -> None:
    evil = topic("/a\x1b[31m", LOST, 3, publisher="/n\x1b]0;x\x07", numbered="seq")
    shown = all_of(lost_answer(LostMessages(files=["a\x1b.bag"], topics=[evil], shared=[])))
    assert "\x1b" not in shown and "\x07" not in shown
