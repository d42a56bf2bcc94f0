# SPDX-License-Identifier: Apache-2.0
"""What a message takes at both of its ends: codec and path, of the processes that these are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import hypot

from wirecost.data.messages.anatomy import Anatomy
from wirecost.measure.cost.paths import ALIASES, CLIENTS, DEFAULTS, MIDDLEWARES, PLAIN, PathPrice
from wirecost.measure.cost.prices import Priced, PriceList

LANGUAGES = {"cpp": "C++", "python": "Python"}
OSI = "osi3."


@dataclass(frozen=True)
class TopicEnds:
    """How many publishers and subscribers have each language; there is one publisher at least.

    ``publish_hz``, ``take_hz``: how often their processes wake up, None where nobody knows.
    """

    publishers: Mapping[str, int]
    takers: Mapping[str, int]
    publish_hz: float | None = None
    take_hz: float | None = None

    @property
    def subscribers(self) -> int:
        return sum(self.takers.values())


@dataclass(frozen=True)
class EndTimes:
    """Nanoseconds per message; a path's are None where it is not known, a spread where that is not.

    ``encode_ns``, ``send_ns``: of a publisher's process; ``decode_ns``, ``receive_ns``: of one
    subscriber's; all are means over the ends.
    """

    library: str
    encode_ns: float
    decode_ns: float
    send_ns: float | None
    receive_ns: float | None
    publish_spread: float | None
    take_spread: float | None
    is_own: bool

    @property
    def publish_ns(self) -> float:
        return self.encode_ns + (self.send_ns or 0.0)

    @property
    def take_ns(self) -> float:
        return self.decode_ns + (self.receive_ns or 0.0)


@dataclass(frozen=True)
class Pricing:
    """Prices, and which of them a system's ends pay.

    ``lang``: of ends whose language nobody knows; ``middleware``: the one that was chosen, empty
    for the usual one of each wire; ``langs``: languages of nodes; ``wakes_hz``: messages that
    a node publishes and takes each second, of all topics.
    """

    prices: PriceList
    lang: str
    middleware: str = ""
    langs: Mapping[str, str] = field(default_factory=dict)
    wakes_hz: Mapping[str, float] = field(default_factory=dict)

    def middleware_of(self, wire: str) -> str:
        """Return the middleware that a wire's messages go over, empty where nobody knows."""
        chosen = self.middleware or DEFAULTS.get(wire, "")
        return ALIASES.get(chosen, chosen)

    def ends(
        self,
        publishers: list[str] | None,
        takers: list[str] | None,
        count: int,
        hz: float | None = None,
        lost_hz: float = 0.0,
    ) -> TopicEnds:
        """Return a topic's ends; ``count``: its subscribers, whoever they are.

        ``hz``: its rate; ``lost_hz``: messages that it no longer has each second.
        """
        languages = [self.langs.get(node, self.lang) for node in takers or ()]
        takers_langs = [*languages[:count], *[self.lang] * (count - len(languages))]
        publishers_langs = [self.langs.get(node, self.lang) for node in publishers or ()]
        return TopicEnds(
            _counted(publishers_langs or [self.lang]),
            _counted(takers_langs),
            self._wakes(publishers, hz, lost_hz),
            self._wakes(takers, hz, lost_hz),
        )

    def _wakes(self, nodes: list[str] | None, hz: float | None, lost_hz: float) -> float | None:
        """Return how often the nodes wake up, on their mean, those that nobody knows by ``hz``."""
        if hz is None:
            return None
        wakes_hz = [max(hz, self.wakes_hz.get(node, hz)) for node in nodes or ()] or [hz]
        return sum(wakes_hz) / len(wakes_hz) - lost_hz

    def path(self, wire: str, lang: str) -> PathPrice | None:
        """Return the path of messages of a wire, None where nobody knows it."""
        middleware = self.middleware_of(wire)
        # A transport of ours has a client of its own.
        client = CLIENTS.get((wire, lang), PLAIN) if middleware in MIDDLEWARES else PLAIN
        return self.prices.paths.of(client, middleware) if middleware else None

    def times(self, wire: str, parts: Anatomy, size: float, ends: TopicEnds) -> EndTimes | None:
        """Return what a message of so many bytes takes; None where nobody knows."""
        publish = [
            (self.prices.of(lang, wire, parts), self.path(wire, lang), count)
            for lang, count in ends.publishers.items()
        ]
        take = [
            (self.prices.of(lang, wire, parts), self.path(wire, lang), count)
            for lang, count in (ends.takers or ends.publishers).items()
        ]
        codecs = [codec for codec, _, _ in (*publish, *take)]
        if None in codecs:
            return None
        paths = [path for _, path, _ in (*publish, *take)]
        is_known = None not in paths
        subscribers = max(1, ends.subscribers)
        encode = _mean([(codec.encode_ns, n) for codec, _, n in publish if codec is not None])
        decode = _mean([(codec.decode_ns, n) for codec, _, n in take if codec is not None])
        sent = [
            (path.send_ns(size, subscribers, ends.publish_hz), n)
            for _, path, n in publish
            if path is not None
        ]
        received = [
            (path.receive_ns(size, ends.take_hz), n) for _, path, n in take if path is not None
        ]
        send_ns, receive_ns = (_mean(sent), _mean(received)) if is_known else (None, None)
        return EndTimes(
            "; ".join(dict.fromkeys(codec.library for codec in codecs if codec is not None)),
            encode,
            decode,
            send_ns,
            receive_ns,
            _widest([_spread(c, p, "publish", encode, send_ns) for c, p, _ in publish]),
            _widest([_spread(c, p, "take", decode, receive_ns) for c, p, _ in take]),
            all(part.is_own for part in (*codecs, *paths) if part is not None),
        )

    def includes(self, wires: set[str], types: set[str], langs: set[str]) -> str:
        """Return in half a line what is in the times of such messages."""
        middlewares = {self.middleware_of(wire) for wire in wires}
        if not any(middlewares):
            where = (
                "FMUs in one process" if all(map(is_osi, types)) else "how it is sent is unknown"
            )
            return f"encoding and decoding only; {where}"
        clients = {CLIENTS.get((wire, lang), LANGUAGES[lang]) for wire in wires for lang in langs}
        over = " or ".join(
            MIDDLEWARES.get(middleware, middleware)
            for middleware in sorted(filter(None, middlewares))
        )
        return f"publishing, sending and taking over {over} in {' and '.join(sorted(clients))}"


def is_osi(type_: str) -> bool:
    return type_.startswith(OSI)


def _counted(langs: list[str]) -> dict[str, int]:
    return {lang: langs.count(lang) for lang in dict.fromkeys(langs)}


def _mean(values: list[tuple[float, int]]) -> float:
    return sum(value * count for value, count in values) / (sum(n for _, n in values) or 1)


def _widest(spreads: list[float | None]) -> float | None:
    spreads_known = [spread for spread in spreads if spread is not None]
    return max(spreads_known) if len(spreads_known) == len(spreads) else None


def _spread(
    codec: Priced | None, path: PathPrice | None, stage: str, codec_ns: float, path_ns: float | None
) -> float | None:
    """Return the relative error of codec and path together, None where one of them is unknown."""
    assert codec is not None
    of_codec = codec.encode_spread if stage == "publish" else codec.decode_spread
    of_path = path.spread.get(stage) if path is not None else 0.0
    slack_ns = path.slack.get(stage, 0.0) if path is not None else 0.0
    whole = codec_ns + (path_ns or 0.0)
    if of_codec is None or of_path is None or not whole:
        return None
    return hypot(of_codec * codec_ns, of_path * (path_ns or 0.0), slack_ns) / whole
