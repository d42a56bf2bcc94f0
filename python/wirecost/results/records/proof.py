# SPDX-License-Identifier: Apache-2.0
"""A remedy's promise, and what stand-ins of a topic's ends gained by it."""

from __future__ import annotations

import msgspec

from wirecost.results.records.cost import Remedy
from wirecost.results.records.schemas.common import Amount, Count

FORMAT = "wirecost-proof"
VERSION = 1


class StandInTurn(msgspec.Struct, kw_only=True, frozen=True):
    """A turn of a topic's stand-ins.

    ``publish_share``, ``take_share``: of a core, that the publisher's process and those of all
    subscribers paid for the messages; ``idle_share``: that all of them take without any;
    ``latency_ns``: median, from the publish call to the callback, None where nobody knows;
    ``received``: share of the sent messages.
    """

    publish_share: Amount
    take_share: Amount
    idle_share: Amount
    bytes_per_s: Amount
    latency_ns: Amount | None
    received: Amount

    @property
    def share(self) -> float:
        return self.publish_share + self.take_share


class TurnPair(msgspec.Struct, kw_only=True, frozen=True):
    """Two turns, one shortly after the other."""

    before: StandInTurn
    after: StandInTurn


class Proof(msgspec.Struct, kw_only=True, frozen=True):
    """A remedy and the turns that prove or disprove it.

    ``files``: as ``SystemCost`` has them; ``client``: what the stand-ins are, empty where only
    codecs are compared; ``why_client``: why they are not what the graph runs, empty where they are;
    ``load``: runnable threads of each processor, on average over the minute before.
    """

    format: str = FORMAT
    version: int = VERSION
    files: list[str]
    remedy: Remedy
    client: str
    why_client: str
    rate_hz: Amount
    subscribers: Count
    type: str
    load: Amount
    turns: list[TurnPair]
