# SPDX-License-Identifier: Apache-2.0
"""Sender of tests with two processes.

It takes a command a line, and answers with a line. On a device with ``DEVICE=real`` in its
environment, else with stand-ins for one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wirecost
from support import fake_cuda, real_cuda
from wirecost.messaging.tensor import encode, use_devices
from wirecost.messaging.tensor.ipc.driver import Driver
from wirecost.messaging.tensor.ipc.sharing import Sharing
from wirecost.system.errors import UserError

FAKE: dict[str, Any] = {
    "torch": lambda array: fake_cuda.Tensor(array, "cuda:0"),
    "cupy": fake_cuda.Array,
    "jax": fake_cuda.ArrayImpl,
}
IS_REAL = os.environ.get("DEVICE") == "real"


def message(framework: str, first: str, elements: str) -> Any:
    """Return an object with the elements ``first``, ``first`` + 1 and so on."""
    array = np.arange(int(elements), dtype="f8") + float(first)
    return (real_cuda.MAKE if IS_REAL else FAKE)[framework](array)


def answer(words: list[str], sharing: Sharing, opened: dict[str, Any]) -> str:
    match words:
        case ["send", *what]:
            return encode(sharing.share(message(*what))).tobytes().hex()
        case ["die", *what]:
            Driver.wait = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]
            sharing.share(message(*what))
        case ["publish", transport, topic]:
            use_devices(ipc=True)
            opened["topic"] = wirecost.publish(transport, topic)
        case ["wait"]:
            return str(opened["topic"].wait_for_subscriber(30))
        case ["put", count, *what]:
            for _ in range(int(count)):
                opened["topic"].send({"a": message(*what), "host": np.ones(3)})
        case ["fork", *what]:
            return in_a_fork(lambda: sharing.share(message(*what)), sharing)
        case ["close"]:
            sharing.close()
        case other:
            raise AssertionError(other)
    return "done"


def in_a_fork(share: Callable[[], object], sharing: Sharing) -> str:
    """Return the refusal in a forked process."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            share()
        except UserError as error:
            os.write(writing, f"refused: {error}".encode())
        sharing.close()
        os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading) as text:
        return text.read()


def main() -> None:
    if not IS_REAL:
        fake_cuda.install(pytest.MonkeyPatch())
    sharing, opened = Sharing(), dict[str, Any]()
    for line in sys.stdin:
        print(answer(line.split(), sharing, opened), flush=True)
    for sender in opened.values():
        sender.close()
    sharing.close()


if __name__ == "__main__":
    main()
