# SPDX-License-Identifier: Apache-2.0
"""One end of a contender, in a process of its own.

Its arguments are CONTENDER ROLE SIZE TOPIC ADDRESS DESCRIPTORS.

Lines of JSON on standard input drive it, as ``commands`` lists them. What libraries print goes to
standard error.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import traceback
from contextlib import suppress
from types import FrameType
from typing import Any

from wirecost.bench.tensor import blocks
from wirecost.bench.tensor.camera import Camera
from wirecost.bench.tensor.contenders import find_contender
from wirecost.bench.tensor.contenders.base import Meeting
from wirecost.bench.tensor.content import Source
from wirecost.bench.tensor.plugins import NUMPY, PLUGINS
from wirecost.bench.tensor.task import Order, Side, Task
from wirecost.errors import UserError

ROLES = ("publish", "listen", "ask", "answer", "both")
CLOSE_S = 2.0
"""Less than the harness waits before it kills."""


class Lines:
    """Commands in, answers out; nothing is read ahead, so that waiting input can be noticed."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._rest = b""

    def next(self) -> dict[str, Any]:
        """Raises EOFError when whoever drives this is gone."""
        while b"\n" not in self._rest:
            content = os.read(self._in, 65536)
            if not content:
                raise EOFError
            self._rest += content
        line, _, self._rest = self._rest.partition(b"\n")
        command: dict[str, Any] = json.loads(line)
        return command

    def waiting(self) -> bool:
        return b"\n" in self._rest or bool(select.select([self._in], [], [], 0)[0])

    def send(self, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode() + b"\n"
        while content:
            content = content[os.write(self._out, content) :]


class Worker:
    def __init__(self, arguments: list[str], lines: Lines) -> None:
        name, self._role, size, topic, address, descriptors = arguments
        self._contender = find_contender(name, int(size))
        self._meeting = Meeting(address or None, tuple(map(int, descriptors.split())), topic)
        self._lines = lines
        self._case: tuple[Any, ...] = ()
        self._sources: dict[bool, Source] = {}
        """By whether they are a camera's images."""
        self._ends: list[Any] = []

    def do(self, command: dict[str, Any]) -> dict[str, Any]:
        match command["do"]:
            case "open":
                self._open()
                return {"done": "open"}
            case "wait":
                return {"there": self._ends[0].wait_for_receiver(command["timeout"])}
            case "block":
                return self._block(
                    Order(**command["order"] | {"shape": tuple(command["order"]["shape"])})
                )
            case other:
                return {"failure": f"{other!r} is no command"}

    def _open(self) -> None:
        made = {
            "publish": (self._contender.sender,),
            "listen": (self._contender.receiver,),
            "ask": (self._contender.asker,),
            "answer": (self._contender.answerer,),
            "both": (self._contender.sender, self._contender.receiver),
        }[self._role]
        self._ends = [make(self._meeting) for make in made]

    def _block(self, order: Order) -> dict[str, Any]:
        plugin = PLUGINS[order.plugin] if order.objects else NUMPY
        plugin.load()
        source = self._source(order, plugin.image)
        source.seed = order.seed
        task = Task(order, plugin, source, marked=order.rate > 0 or self._role == "both")
        end = self._ends[0]
        match self._role:
            case "publish":
                return _document(blocks.publish(end, task))
            case "ask":
                return _document(blocks.ask(end, task))
            case "both":
                sent, received = blocks.both(end, self._ends[1], task)
                return {"sent": _document(sent), "received": _document(received)}
        self._lines.send({"ready": True})
        run = blocks.listen if self._role == "listen" else blocks.answer
        return _document(run(end, task, self._lines.waiting))

    def _source(self, order: Order, image: bool) -> Source:
        """Those of one case are kept: its contenders take turns."""
        case = order.shape, order.dtype, order.content
        if self._case != case:
            self._case = case
            self._sources.clear()
        if image not in self._sources:
            self._sources[image] = (Camera if image else Source)(*case)
        return self._sources[image]

    def close(self) -> None:
        for end in self._ends:
            end.close()


def _document(side: Side) -> dict[str, Any]:
    return {"stamps": side.stamps, "failure": side.failure, "nbytes": side.nbytes}


class Ended(BaseException):
    """Whoever drives this was killed, or somebody ends this."""


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Ended


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the harness
    signal.signal(signal.SIGTERM, _end)
    worker, status = None, 0
    try:
        lines = Lines()
        worker = Worker(sys.argv[1:], lines)
        _serve(worker, lines)
    except (EOFError, BrokenPipeError):  # nobody drives this any more
        pass
    except Ended:
        status = 128 + signal.SIGTERM
    except BaseException:
        traceback.print_exc()
        status = 1
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Some middlewares hang when they are closed, and their threads at exit.
    threading.Timer(CLOSE_S, os._exit, (status,)).start()
    if worker is not None:
        with suppress(Exception):
            worker.close()
    sys.stderr.flush()
    os._exit(status)


def _serve(worker: Worker, lines: Lines) -> None:
    """Returns at ``close``. Raises EOFError, BrokenPipeError."""
    while (command := lines.next())["do"] != "close":
        if command["do"] == "finish":
            continue
        try:
            answer = worker.do(command)
        except UserError as error:
            answer = {"failure": str(error)}
        except Exception as error:
            traceback.print_exc()
            answer = {"failure": f"{type(error).__name__}: {error}".splitlines()[0]}
        lines.send(answer)


if __name__ == "__main__":
    main()
