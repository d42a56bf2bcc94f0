# SPDX-License-Identifier: Apache-2.0
"""The table: ``default`` and ``matched`` of every middleware, and a few more that people use.

``default`` is what the middleware's makers chose, ``matched`` what was asked of all. What
middlewares cannot do stays as it is, and its words say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirecost.measure.bench.transport.settings.setting import (
    UNLIMITED,
    AskedQuality,
    TransportSetting,
)

DEFAULT, MATCHED = "default", "matched"
PYTHON, NATIVE = "python", "native"
TCP = "TCP's, while connected"
OLDEST = "the subscriber's oldest is lost"
NONE = "none"
NATS_SENDER = "64 MiB, then it refuses"
OLDEST_OF_BOTH = "the oldest of the publisher's queue, then of the subscriber's, is lost"
ROSPY = "none: rospy writes to the socket"
DEEP = 1 << 20
"""Messages: no limit that a run reaches."""


def _matched(
    asked: AskedQuality,
    reliable: tuple[str, str],
    best_effort: tuple[str, str],
    sender: str = "",
    receiver: str = "",
    promise: bool = True,
    longest_wait_s: float = 0.0,
    **options: str | int | float | bool,
) -> TransportSetting:
    """Each pair: what it does against loss, and what happens when there is no room."""
    reliability, full = reliable if asked.reliable else best_effort
    return TransportSetting(
        MATCHED,
        reliability,
        sender or str(asked.queue),
        receiver or str(asked.queue),
        full,
        promise and asked.reliable,
        longest_wait_s if asked.reliable else 0.0,
        asked.reliable,
        asked.queue,
        options,
    )


def _zeromq(asked: AskedQuality) -> list[TransportSetting]:
    drops = "lost to that subscriber alone"
    return [
        TransportSetting(DEFAULT, TCP, "1000", "1000", drops, options={"depth": 1000}),
        _matched(asked, (TCP, "the publisher waits"), (TCP, drops)),
        TransportSetting(
            "conflate", TCP, "1000", "1", "only the newest is kept", options={"conflate": True}
        ),
    ]


def _zenoh(asked: AskedQuality) -> list[TransportSetting]:
    hop = "every link sends again"
    full = f"lost at the publisher; {OLDEST}"
    return [
        TransportSetting(DEFAULT, hop, "2 batches of 64 KiB", "256", full, options={"depth": 256}),
        _matched(
            asked,
            (hop, "the publisher waits, for 2 s at most"),
            (hop, full),
            sender="2 batches of 64 KiB",
            longest_wait_s=2.0,
        ),
        TransportSetting(
            "rmw",
            hop,
            "2 batches of 64 KiB",
            "10",
            f"the publisher waits; {OLDEST}",
            reliable=True,
            queue=10,
            options={"overwrites": True, "peer": True},
            router=True,
        ),
    ]


def _iceoryx2(asked: AskedQuality) -> list[TransportSetting]:
    lossless = "shared memory loses nothing"
    return [
        TransportSetting(DEFAULT, lossless, NONE, "2", OLDEST, options={"depth": 2}),
        _matched(asked, (lossless, "the publisher waits"), (lossless, OLDEST), sender=NONE),
    ]


def _mqtt(asked: AskedQuality) -> list[TransportSetting]:
    sent_again = "QoS 1: acknowledged, sent again"
    once = "QoS 0: sent once over TCP"
    broker = "; the broker drops above 1000"
    return [
        TransportSetting(
            DEFAULT, once, UNLIMITED, UNLIMITED, f"nothing is refused{broker}",
            options={"depth": DEEP},
        ),
        _matched(
            asked,
            (sent_again, f"refused at the publisher{broker}"),
            (once, f"refused at the publisher; {OLDEST}"),
            promise=False,
            qos=int(asked.reliable),
        ),
        TransportSetting(
            "qos1", sent_again, UNLIMITED, UNLIMITED, f"nothing is refused{broker}",
            options={"qos": 1, "depth": DEEP},
        ),
    ]  # fmt: skip


def _mosquitto(asked: AskedQuality) -> list[TransportSetting]:
    """libmosquitto's thread calls the subscriber, so that what waits there waits in the socket."""
    receiver = "the socket's"
    full = "refused at the publisher; the broker drops above 1000"
    found = [replace(one, receiver_queue=receiver) for one in _mqtt(asked)]
    return [replace(one, full=full) if one.name == MATCHED else one for one in found]


def _nats(asked: AskedQuality) -> list[TransportSetting]:
    core = "core NATS: at most once over TCP"
    cut = "the server cuts off a slow subscriber"
    return [
        TransportSetting(
            DEFAULT, core, NATS_SENDER, "524288", f"lost; {cut}", options={"depth": 524_288}
        ),
        _matched(
            asked,
            (core, f"TCP makes the server wait, then {cut}"),
            (core, OLDEST),
            sender=NATS_SENDER,
            promise=False,
        ),
    ]


def _nats_c(asked: AskedQuality) -> list[TransportSetting]:
    """nats.c takes from the socket whatever comes, and cannot make the server wait."""
    core = "core NATS: at most once over TCP"
    sender = "32 KiB, then the publisher waits"
    own = "65536, 64 MiB"
    return [
        TransportSetting(DEFAULT, core, sender, own, "the newest is lost"),
        _matched(
            asked,
            (core, "nothing waits: memory grows"),
            (core, "the newest is lost"),
            sender=sender,
            receiver=UNLIMITED if asked.reliable else "",
            promise=False,
        ),
    ]


def _grpc(asked: AskedQuality) -> list[TransportSetting]:
    stream = "HTTP/2's, while connected"
    return [
        TransportSetting(
            DEFAULT, stream, "1", "1", "the publisher waits", True, options={"depth": 1}
        ),
        _matched(
            asked, (stream, "the publisher waits"), (stream, "the oldest is lost, at either end")
        ),
    ]


def _websocket(asked: AskedQuality) -> list[TransportSetting]:
    waits = "the publisher waits, and cuts off who takes 2 s"
    return [
        TransportSetting(DEFAULT, TCP, "the socket's", "16", waits, True, longest_wait_s=2.0),
        _matched(
            asked,
            (TCP, waits),
            (TCP, f"{waits}; {OLDEST}"),
            sender="the socket's",
            longest_wait_s=2.0,
        ),
    ]


def _dds(asked: AskedQuality) -> list[TransportSetting]:
    repaired = "RELIABLE: lost parts are asked for"
    keep = f"KEEP_LAST {asked.queue}"
    return [
        TransportSetting(
            DEFAULT, "BEST_EFFORT reader, RELIABLE writer", "KEEP_LAST 1", "KEEP_LAST 1", "lost",
            options={"depth": 1},
        ),
        _matched(
            asked,
            (repaired, "the writer waits, for 100 ms at most"),
            ("BEST_EFFORT", "lost"),
            sender="KEEP_ALL, 64" if asked.reliable else keep,
            receiver="KEEP_ALL" if asked.reliable else keep,
        ),
        TransportSetting(
            "ros2", repaired, "KEEP_LAST 10", "KEEP_LAST 10", "the writer's oldest is lost",
            reliable=True, queue=10, options={"keep_last": True},
        ),
    ]  # fmt: skip


def _fastdds(asked: AskedQuality) -> list[TransportSetting]:
    """Its makers would take shared memory on one machine, which neither client does."""
    ours = "; wirecost's: UDP alone, sockets of 64 MiB"
    default, *others = _dds(asked)
    return [replace(default, reliability=default.reliability + ours), *others]


def _ros2(asked: AskedQuality) -> list[TransportSetting]:
    lost = "the oldest is lost, at either end"
    repaired = "RELIABLE: lost parts are asked for"
    keep = f"KEEP_LAST {asked.queue}"
    return [
        TransportSetting(DEFAULT, repaired, "KEEP_LAST 10", "KEEP_LAST 10", lost),
        _matched(
            asked,
            (repaired, lost),
            ("BEST_EFFORT", lost),
            sender=keep,
            receiver=keep,
            promise=False,
        ),
    ]


def _ros1(asked: AskedQuality) -> list[TransportSetting]:
    return [
        TransportSetting(
            DEFAULT, TCP, ROSPY, UNLIMITED, "the publisher waits", True, options={"depth": DEEP}
        ),
        _matched(
            asked,
            (TCP, "the publisher waits"),
            (TCP, OLDEST_OF_BOTH),
            sender=ROSPY if asked.reliable else "",
        ),
    ]


def _roscpp(asked: AskedQuality) -> list[TransportSetting]:
    """roscpp never waits, whatever is asked for."""
    most = "100000, 1 GiB"
    lost = TCP, OLDEST_OF_BOTH
    return [
        TransportSetting(DEFAULT, TCP, most, most, OLDEST_OF_BOTH),
        _matched(asked, lost, lost, promise=False),
    ]


def _ecal(asked: AskedQuality) -> list[TransportSetting]:
    return [
        TransportSetting(
            DEFAULT,
            "shared memory, not acknowledged",
            "1",
            "1",
            "overwritten",
            options={"depth": 1},
        ),
        _matched(
            asked,
            ("shared memory, acknowledged", "the publisher waits, for 0.5 s at most"),
            ("shared memory, not acknowledged", "overwritten"),
            sender="1",
            longest_wait_s=0.5,
        ),
    ]


def _yarp(asked: AskedQuality) -> list[TransportSetting]:
    none = "none: YARP writes to the socket"
    waits = "the publisher waits, and cuts off who takes nothing for 5 s"
    return [
        TransportSetting(DEFAULT, TCP, none, "1", "only the newest is kept", options={"depth": 1}),
        _matched(asked, (TCP, waits), (TCP, OLDEST), sender=none, longest_wait_s=5.0),
    ]


def _tcp(asked: AskedQuality) -> list[TransportSetting]:
    """Return the yardstick, in which nothing can be set."""
    del asked
    buffers = "the socket's"
    return [TransportSetting(DEFAULT, TCP, buffers, buffers, "the publisher waits", True)]


def _own(asked: AskedQuality) -> list[TransportSetting]:
    """Of what has no settings here."""
    return [TransportSetting(DEFAULT, "", "", str(asked.queue), "", queue=asked.queue)]


ROWS: dict[str, Callable[[AskedQuality], list[TransportSetting]]] = {
    "zeromq": _zeromq,
    "zenoh": _zenoh,
    "iceoryx2": _iceoryx2,
    "mqtt": _mqtt,
    "nats": _nats,
    "grpc": _grpc,
    "websocket": _websocket,
    "dds": _fastdds,
    "cyclone": _dds,
    "ros1": _ros1,
    "ros2": _ros2,
    "ecal": _ecal,
    "yarp": _yarp,
    "tcp": _tcp,
}
"""By the first word of a transport's name."""
NATIVE_ROWS = {"mqtt": _mosquitto, "nats": _nats_c, "ros1": _roscpp}
"""Those that the native client cannot have as the Python one."""
NAMES = tuple(dict.fromkeys(one.name for row in ROWS.values() for one in row(AskedQuality())))


def settings_of(mware: str, asked: AskedQuality, client: str = PYTHON) -> list[TransportSetting]:
    """Of one transport and kind of client, ``default`` first; ``matched`` only where it differs."""
    word = mware.partition("-")[0]
    found = ROWS.get(word, _own)(asked)
    if client == NATIVE and word in NATIVE_ROWS:
        found = [replace(one, client=client) for one in NATIVE_ROWS[word](asked)]
    default = next(one for one in found if one.name == DEFAULT)
    return [one for one in found if one is default or one.effect != default.effect]
