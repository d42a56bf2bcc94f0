# SPDX-License-Identifier: Apache-2.0
"""Choice of the middleware, and one of a kind a process: a session costs threads and time."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from wirecost.messaging.transport import SHARED_MEMORY, Transport, find, names, open_transport
from wirecost.system.errors import UserError

ON_ONE_MACHINE = (SHARED_MEMORY, "zeromq")
"""Transports that are taken where none is named, in this order."""

ONE_AT_A_TIME = threading.RLock()
"""Held while anything is opened or closed: no middleware needs to expect that of two threads."""

Key = tuple[int, str, str | None, bool]
_shared: dict[Key, Shared] = {}


@dataclass
class Shared:
    """A middleware for all senders, or all receivers, of a process that name the same address."""

    transport: Transport
    key: Key
    users: int = 1

    def let_go(self) -> None:
        """Close it after its last user."""
        with ONE_AT_A_TIME:
            self.users -= 1
            if self.users:
                return
            _shared.pop(self.key, None)
            self.transport.close()


def chosen(middleware_or_topic: str, topic: str | None) -> tuple[str, str]:
    """Return middleware and topic; the first usable middleware if only a topic is given.

    Raises UserError where none is, and for a middleware without a topic.
    """
    if topic is not None:
        return middleware_or_topic, topic
    if middleware_or_topic in names():
        raise UserError(
            f"{middleware_or_topic!r} is a middleware: give a topic as well, as in"
            f' wirecost.publish("{middleware_or_topic}", "camera")'
        )
    return default(), middleware_or_topic


def default() -> str:
    """Return the middleware for one machine. Raises UserError where none can be used here."""
    reasons = []
    for name in ON_ONE_MACHINE:
        why = find(name).missing()
        if why is None:
            return name
        reasons.append(f"{name}: {why}")
    raise UserError(f"no middleware for one machine can be used here: {'; '.join(reasons)}")


def shared(name: str, address: str | None, receives: bool) -> Shared:
    """Return the middleware, opened if nobody did yet. Raises UserError if it cannot be."""
    # A forked child must not use its parent's sockets and threads. Senders and receivers are apart,
    # as a session need not count its own ends among those that are there.
    key = os.getpid(), name, address, receives
    with ONE_AT_A_TIME:
        shared = _shared.get(key)
        if shared is None:
            shared = _shared[key] = Shared(open_transport(name, address), key)
        else:
            shared.users += 1
        return shared
