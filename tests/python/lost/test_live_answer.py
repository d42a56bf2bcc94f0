# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost lost --live`` prints: one screen, remedies that name a setting, no guess."""

from __future__ import annotations

import pytest

from support.answers import all_of, first_screen
from wirecost.results.records.lost_live import (
    OPEN,
    READER,
    SENDER,
    SOCKET,
    TAKER,
    WAY,
    WRITER,
    HeardTopic,
    LiveLost,
    Subscription,
)
from wirecost.results.report.lost_live import live_answer


def subscription(places: dict[str, int], **about: object) -> Subscription:
    settings = {"topic": "/points", "subscribers": ["/filter"], "publishers": ["/lidar"], "pid": 7}
    counts = {"published": 600, "taken": 600 - sum(places.values()), "published_every_s": 0.1}
    return Subscription(places=places, **settings | counts | about)


def lost(*subscriptions: Subscription, **about: object) -> LiveLost:
    settings = {"system": "ros2", "seconds": 30.0, "topics": 1, "is_attached": True} | about
    return LiveLost(subscriptions=list(subscriptions), **settings)


def screen(found: LiveLost) -> str:
    return " ".join(first_screen(live_answer(found)).split())


@pytest.mark.parametrize(
    ("places", "about", "said"),
    [
        ({}, {}, "No message was lost: 1 subscriber took all of 600 in 30.0 s."),
        ({READER: 31, SOCKET: 6}, {}, "37 of 600 messages did not reach /filter"),
        ({READER: 31, SOCKET: 6}, {}, "31 fell out of the reader's history, 6 were dropped at"),
        ({READER: 9}, {"held": 5, "takes_every_s": 0.02}, "depth of the subscription to /points"),
        ({READER: 9}, {"held": 5, "takes_every_s": 0.18}, "it takes a message every 180 ms"),
        ({READER: 9}, {"held": 5, "takes_every_s": 0.18}, "Shorten the callback of /points"),
        ({READER: 9}, {"held": 1}, "which held 1 message, or shorten its callback"),
        ({WRITER: 9}, {}, "Raise the depth of the publisher of /points"),
        ({SOCKET: 9}, {}, "net.core.rmem_default (212,992 bytes) and rmem_max"),
        ({WAY: 9}, {}, "Make both ends of /points reliable"),
        ({OPEN: 9}, {}, "they died at a place that cannot be told"),
        ({}, {"untaken": 40, "held": 5}, "/filter has not taken the last 40 messages of /points"),
        (
            {},
            {"published": None, "refusals": {"ERROR: Best effort publisher;": ["/lidar"]}},
            "Let /filter and /lidar agree on /points: ERROR: Best effort publisher",
        ),
        ({}, {"published": None, "taken": None}, "No message was taken in 30.0 s"),
        ({}, {"published": None}, "No reader noticed a loss in 30.0 s; the publishers are elsewh"),
        ({WAY: 9}, {"published": None}, "/points: 9 messages did not reach /filter in 30.0 s: the"),
    ],
)
def test_the_sentence_and_the_remedy_fit(
    places: dict[str, int], about: dict[str, object], said: str
) -> None:
    assert said in screen(lost(subscription(places, **about), usual_buffer=212_992))


@pytest.mark.parametrize(
    ("places", "about", "said"),
    [
        (
            {SENDER: 9},
            {},
            "/points: 9 of 600 messages did not reach /filter in 30.0 s: they fell out",
        ),
        ({SENDER: 9}, {}, "callback of /filter, or raise queue_size of the publisher of /points"),
        ({TAKER: 9}, {}, "fell out of the subscriber's queue"),
        ({TAKER: 9}, {"is_least": True}, "at least 9 of 600 messages did not reach /filter"),
        ({}, {"is_unsized": True}, "how many cannot be told, as their sizes vary"),
        ({}, {"is_unsized": True}, "or raise queue_size of the publisher of /points"),
        (
            {},
            {"is_open": True, "untaken": 40},
            "40 messages of 30.0 s have not reached /filter: th",
        ),
        ({}, {"untaken": 40, "unread": 2048}, "they wait, or died. Its socket holds 2.05 kB"),
        ({}, {"is_open": True, "untaken": 1}, "No message was lost: 1 subscriber took all of 600"),
    ],
)
def test_nodes_of_ros_1_count_themselves(
    places: dict[str, int], about: dict[str, object], said: str
) -> None:
    text = screen(lost(subscription(places, **about), system="ros1", is_attached=False))
    assert said in text and "--attach" not in text


def test_subscribers_of_ros_1_that_do_not_tell_are_in_the_first_sentence() -> None:
    silent, healthy = subscription({}, published=None, taken=None), subscription({})
    found = lost(healthy, silent, silent, system="ros1", is_attached=False)
    assert "took all of 600 in 30.0 s. What 2 more subscribers took cannot be told." in screen(
        found
    )
    found = lost(healthy, subscription({SENDER: 9}, taken=0), system="ros1", is_attached=False)
    assert "/points: 9 of 600 messages did not reach /filter" in screen(found)


def test_without_breakpoints_no_subscriber_is_said_to_lose() -> None:
    heard = [HeardTopic(topic="/points", published=600, missed=37, lost=6)]
    untold = subscription({}, published=None, taken=None)
    text = screen(lost(untold, is_attached=False, heard=heard))
    assert text.startswith("What subscribers took cannot be told without --attach.")
    assert "own subscription missed 37 messages of 1 topic" in text
    assert "wirecost lost --live ros2 --attach" in text


def test_drops_at_sockets_are_told_where_takes_are_not() -> None:
    untold = subscription({}, published=None, taken=None, dropped_datagrams=12)
    text = screen(lost(untold, is_attached=False, system="dds"))
    assert "1. Enlarge the receive buffer of /filter" in text
    assert "12 datagrams did not fit into its sockets; what they held cannot be told" in text
    assert "No reader announces its losses: number messages and compare where taken." in text
    unknown = lost(untold, is_attached=False, system="dds", drops={"41": 12})
    assert "Process 41: 12 datagrams did not fit into its sockets" in screen(unknown)
    healthy = subscription({}, published=None, taken=None, dropped_datagrams=0)
    assert "Enlarge" not in screen(lost(healthy, is_attached=False, system="dds"))


def test_records_that_did_not_fit_prove_no_loss() -> None:
    text = screen(lost(subscription({READER: 9}), unread=3))
    assert text.startswith("3 records of calls did not fit into memory")
    assert "did not reach" not in text and "Raise" not in text


def test_it_fits_one_screen_and_names_cannot_command_a_terminal() -> None:
    many = [
        subscription(
            {READER: number, SOCKET: 1}, topic=f"/robot\x1b[31m/sensors/number_{number}/points"
        )
        for number in range(40)
    ]
    lines = first_screen(live_answer(lost(*many))).splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "\x1b" not in all_of(live_answer(lost(*many)))
