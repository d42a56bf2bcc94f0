# SPDX-License-Identifier: Apache-2.0
"""One of the two processes of a trial: ``python -m … sender|listener TRANSPORT TOPIC ADDRESS``.

Prints one line of JSON: when it had sent, or had received and checked; or why not. It then waits
for the end of its input, as what was sent may be in transit.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np

from wirecost.messaging.api.publication import publish
from wirecost.messaging.api.subscription import subscribe
from wirecost.system.errors import UserError

PATIENCE_S = 40.0
MESSAGE = {"array": np.arange(1200, dtype=np.float32).reshape(30, 40), "text": "Ω", "number": 7}


def main() -> None:
    # What a middleware prints is not the answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    role, name, topic, address = sys.argv[1:]
    run = _send if role == "sender" else _listen
    try:
        run(name, topic, json.loads(address), answers)
    except UserError as error:
        _answer(answers, {"error": str(error)})


def _send(name: str, topic: str, address: str | None, answers: int) -> None:
    with publish(name, topic, address=address) as publication:
        if not publication.wait_for_subscriber(PATIENCE_S):
            raise UserError(f"the sender saw no listener within {PATIENCE_S:g} s")
        begun = time.monotonic_ns()
        if not publication.send(MESSAGE):
            raise UserError("the middleware dropped the message")
        _answer(answers, {"ns": begun})
        sys.stdin.read()


def _listen(name: str, topic: str, address: str | None, answers: int) -> None:
    with subscribe(name, topic, address=address) as messages:
        message = messages.receive(PATIENCE_S)
        if message is None:
            raise UserError(f"the listener got nothing within {PATIENCE_S:g} s")
        if not _same(message):
            raise UserError("the message arrived with another content")
        _answer(answers, {"ns": time.monotonic_ns()})
        del message
        sys.stdin.read()


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


def _answer(answers: int, answer: dict[str, Any]) -> None:
    os.write(answers, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
