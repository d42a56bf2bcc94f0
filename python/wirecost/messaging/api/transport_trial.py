# SPDX-License-Identifier: Apache-2.0
"""Trial of whether a middleware carries a message here.

It is between two processes of their own, which end with this one, whatever the middleware does to
them.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import NoServerError
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable
from wirecost.system.waiting import Deadline

PATIENCE_S = 60.0
"""Seconds for both processes to start, find each other and exchange a message."""
ENDS = "wirecost.messaging.api.trial_end"


@dataclass(frozen=True)
class TrialOutcome:
    """Outcome of one middleware; exactly one of the three is not None."""

    name: str
    ms: float | None = None
    """From sending to the checked content."""
    missing: str | None = None
    """The missing library, and how to install it."""
    failed: str | None = None

    def document(self) -> dict[str, object]:
        """Return it for JSON."""
        return asdict(self)


def tried(name: str) -> TrialOutcome:
    """Return what becomes of a message. The transport's server is one of its own, on loopback."""
    kind = find(name)
    if why := kind.missing():
        return TrialOutcome(name, missing=why)
    try:
        with kind.server() as address:
            return TrialOutcome(name, ms=_exchange(name, address))
    except NoServerError as error:
        return TrialOutcome(name, missing=str(error))
    except (UserError, ProgramFailedError) as error:
        return TrialOutcome(name, failed=printable(str(error)))


def _exchange(name: str, address: str | None) -> float:
    topic = f"test{secrets.token_hex(8)}"
    with ExitStack() as stack:
        ends = []
        for role in ("listener", "sender"):
            words = [sys.executable, "-P", "-m", ENDS, role, name, topic, json.dumps(address)]
            end = Channel(f"its {role}", words, os.environ, last=signal.SIGKILL)
            stack.callback(end.end)
            end.send("exchange")
            ends.append(end)
        deadline = Deadline(PATIENCE_S)
        times: dict[str, int] = {}
        while len(times) < len(ends):
            unanswered = [end for end in ends if end.name not in times]
            ready, _, _ = select.select(unanswered, [], [], deadline.left)
            if not ready:
                raise ProgramFailedError(f"no message within {PATIENCE_S:g} s")
            for end in ready:
                times[end.name] = end.receive()["ns"]
    listener, sender = (times[end.name] for end in ends)
    return (listener - sender) / 1e6
