# SPDX-License-Identifier: Apache-2.0
"""One of the two processes of a trial, the other end of a ``Channel``.

``python -m … sender|listener TRANSPORT TOPIC ADDRESS``.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from typing import Any

import numpy as np

from wirecost.messaging.api.publication import publish
from wirecost.messaging.api.subscription import subscribe
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import drive
from wirecost.system.errors import UserError

PATIENCE_S = 40.0
MESSAGE = {"array": np.arange(1200, dtype=np.float32).reshape(30, 40), "text": "Ω", "number": 7}


class _End:
    """One role's end of a trial.

    Its opened endpoints stay open until it is closed, as what was sent may be in transit.
    """

    def __init__(self, role: str, name: str, topic: str, address: str | None) -> None:
        self._exchange = self._send if role == "sender" else self._listen
        self._name, self._topic, self._address = name, topic, address
        self._opened = ExitStack()

    def do(self, command: JsonObject) -> JsonObject:
        """Return when it had sent, or had received and checked; on any command."""
        del command
        return {"ns": self._exchange()}

    def close(self) -> None:
        self._opened.close()

    def _send(self) -> int:
        publication = self._opened.enter_context(
            publish(self._name, self._topic, address=self._address)
        )
        if not publication.wait_for_subscriber(PATIENCE_S):
            raise UserError(f"the sender saw no listener within {PATIENCE_S:g} s")
        begun = time.monotonic_ns()
        if not publication.send(MESSAGE):
            raise UserError("the middleware dropped the message")
        return begun

    def _listen(self) -> int:
        messages = self._opened.enter_context(
            subscribe(self._name, self._topic, address=self._address)
        )
        message = messages.receive(PATIENCE_S)
        if message is None:
            raise UserError(f"the listener got nothing within {PATIENCE_S:g} s")
        if not _same(message):
            raise UserError("the message arrived with another content")
        return time.monotonic_ns()


def _same(message: Any) -> bool:
    if not isinstance(message, dict) or message.keys() != MESSAGE.keys():
        return False
    sent, array = MESSAGE["array"], message["array"]
    return (
        isinstance(array, np.ndarray)
        and array.dtype == sent.dtype  # type: ignore[attr-defined]
        and np.array_equal(array, sent)  # type: ignore[arg-type]
        and (message["text"], message["number"]) == (MESSAGE["text"], MESSAGE["number"])
    )


if __name__ == "__main__":
    _, role, name, topic, address = sys.argv
    drive(lambda _: _End(role, name, topic, json.loads(address)))
