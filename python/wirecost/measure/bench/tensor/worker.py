# SPDX-License-Identifier: Apache-2.0
"""One end of a contender, in a process of its own.

Its arguments are CONTENDER ROLE SIZE TOPIC ADDRESS DESCRIPTORS.

Lines of JSON on standard input drive it:

| ``do`` | answer |
|---|---|
| ``open`` | ``done``, once the end is made |
| ``wait``, with ``timeout`` | ``there``: whether the other end is |
| ``block``, with ``order`` | listeners first ``ready``; then what the end saw (``TensorSide``) |
| ``finish`` | none: the sender is done, and the listener's block ends soon |
| ``close`` | none: the process ends |

Any answer may be ``failure`` instead. What libraries print goes to standard error.
"""

from __future__ import annotations

import sys
from typing import Any

from wirecost.measure.bench.tensor import blocks
from wirecost.measure.bench.tensor.arrays import ArraySource
from wirecost.measure.bench.tensor.camera import Camera
from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.contenders.base import TensorMeeting
from wirecost.measure.bench.tensor.plugins import NUMPY, PLUGINS
from wirecost.measure.bench.tensor.task import TensorOrder, TensorSide, TensorTask
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import Lines, drive


class TensorWorker:
    """End of a contender in this process."""

    def __init__(self, arguments: list[str], lines: Lines) -> None:
        name, self._role, size, topic, address, descriptors = arguments
        self._contender = find_contender(name, int(size))
        self._meeting = TensorMeeting(address or None, tuple(map(int, descriptors.split())), topic)
        self._lines = lines
        self._case: tuple[Any, ...] = ()
        self._sources: dict[bool, ArraySource] = {}
        """Sources; the key is true for a camera's images."""
        self._ends: list[Any] = []

    def do(self, command: JsonObject) -> JsonObject:
        match command["do"]:
            case "open":
                self._open()
                return {"done": "open"}
            case "wait":
                return {"there": self._ends[0].wait_for_receiver(command["timeout"])}
            case "block":
                return self._block(
                    TensorOrder(**command["order"] | {"shape": tuple(command["order"]["shape"])})
                )
            case other:
                return {"failure": f"{other!r} is no command"}

    def _open(self) -> None:
        kinds = {
            "publish": (self._contender.sender,),
            "listen": (self._contender.receiver,),
            "ask": (self._contender.asker,),
            "answer": (self._contender.answerer,),
            "both": (self._contender.sender, self._contender.receiver),
        }[self._role]
        self._ends = [kind(self._meeting) for kind in kinds]

    def _block(self, order: TensorOrder) -> JsonObject:
        plugin = PLUGINS[order.plugin] if order.objects else NUMPY
        plugin.load()
        source = self._source(order, plugin.image)
        source.seed = order.seed
        task = TensorTask(order, plugin, source, marked=order.rate > 0 or self._role == "both")
        end = self._ends[0]
        match self._role:
            case "publish":
                return _document(blocks.publish(end, task))
            case "ask":
                return _document(blocks.ask(end, task))
            case "both":
                sent, received = blocks.both(end, self._ends[1], task)
                return {"sent": _document(sent), "received": _document(received)}
        self._lines.put({"ready": True})
        run = blocks.listen if self._role == "listen" else blocks.answer
        return _document(run(end, task, self._lines.waiting))

    def _source(self, order: TensorOrder, image: bool) -> ArraySource:
        """Return a source; those of one case are kept, since its contenders take turns."""
        case = order.shape, order.dtype, order.content
        if self._case != case:
            self._case = case
            self._sources.clear()
        if image not in self._sources:
            self._sources[image] = (Camera if image else ArraySource)(*case)
        return self._sources[image]

    def close(self) -> None:
        for end in self._ends:
            end.close()


def _document(side: TensorSide) -> JsonObject:
    return {"stamps": side.stamps, "failure": side.failure, "nbytes": side.nbytes}


def main() -> None:
    drive(lambda lines: TensorWorker(sys.argv[1:], lines))


if __name__ == "__main__":
    main()
