# SPDX-License-Identifier: Apache-2.0
"""Commands between the processes of a benchmark, and what of them a listener accepts.

All of it is lines of JSON. The harness drives each worker, one end of a contender, over its
standard input and output:

| ``do`` | answer |
|---|---|
| ``open`` | ``done``, once the end is made |
| ``wait``, with ``timeout`` | ``there``: whether the other end is |
| ``block``, with ``order`` | listeners first ``ready``; then what it saw (``ListenerSide``) |
| ``finish`` | none: the sender is done, and the listener's block ends soon |
| ``close`` | none: the process ends |

Any answer may be ``failure`` instead. With ``--role publish`` the listening workers are another
machine's. The publisher connects there by TCP and sends:

| ``do`` | answer |
|---|---|
| ``hello``, with ``version`` and ``token`` | ``version``, ``host``, ``memory``, ``environment`` |
| ``ping`` | ``monotonic`` and ``wall``: the clocks there |
| ``start``, with a ``worker``'s number and what it is | ``worker`` and ``answer``, as all below |
| ``tell``, with ``worker`` and ``command`` | the worker's answers |
| ``end``, with ``worker`` | ``done``, once it has ended |
| ``bye`` | none |

Each side refuses everything else before it makes anything of it.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from wirecost.measure.bench.tensor.addresses import forms
from wirecost.measure.bench.tensor.choices import CONTENTS
from wirecost.measure.bench.tensor.link import plain
from wirecost.measure.bench.tensor.plugins import DEVICES, PLUGINS
from wirecost.system.channel.json_stream import JsonObject

VERSION = 2
MOST_COMMAND = 1 << 16
MOST_ANSWER = 1 << 26
"""Most bytes of a line; answers hold a block's stamps."""
MOST_BYTES = 1 << 34
"""Most bytes of an array, 16 for each element."""
MOST_COUNT = 200_000
"""Most messages of a block, so that its stamps fit a line."""
MOST_WORKERS = 32
Number = Annotated[int, Meta(ge=0, le=1 << 53)]
Size = Annotated[int, Meta(ge=0, le=MOST_BYTES)]
Extent = Annotated[int, Meta(ge=1, le=1 << 30)]
Stamp = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]


class RefusedCommandError(Exception):
    """Fault of a command; one line."""


class StartCommand(msgspec.Struct, forbid_unknown_fields=True):
    """Command that starts a worker."""

    do: Literal["start"]
    worker: Number
    way: str
    role: Literal["listen", "answer"]
    size: Size
    topic: Annotated[str, Meta(pattern=r"\Abench_[0-9a-f]{12}\Z")]
    address: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9/\[][A-Za-z0-9_.:@/\[\]%-]{0,199}\Z")] | None

    def __post_init__(self) -> None:
        if self.way not in forms():
            raise ValueError("not a contender that leaves the machine")


class BlockOrder(msgspec.Struct, forbid_unknown_fields=True):
    """Block that a worker is asked for; see ``task.TensorOrder``."""

    plugin: str
    shape: Annotated[
        list[Annotated[int, Meta(ge=1, le=1 << 30)]], Meta(min_length=1, max_length=32)
    ]
    dtype: Annotated[str, Meta(max_length=16)]
    content: str
    device: str
    objects: bool
    first: Number
    count: Annotated[int, Meta(ge=1, le=MOST_COUNT)]
    rate: Annotated[float, Meta(ge=0, le=10_000)]
    seed: Annotated[int, Meta(ge=0, le=(1 << 31) - 1)]

    def __post_init__(self) -> None:
        try:
            dtype = np.dtype(self.dtype)
        except (TypeError, SyntaxError) as error:
            raise ValueError("not a dtype") from error
        if dtype.kind not in "iufc" or dtype.shape:
            raise ValueError("not a dtype of numbers")
        if math.prod(self.shape) * dtype.itemsize > MOST_BYTES:
            raise ValueError("a shape that is too large")
        if self.plugin not in PLUGINS and (self.plugin or self.objects):
            raise ValueError("not a plugin")
        if self.content not in CONTENTS or self.device not in DEVICES or math.isnan(self.rate):
            raise ValueError("not a content, device or rate")


class Plain(msgspec.Struct, tag_field="do", forbid_unknown_fields=True):
    """Command without anything more."""


class Open(Plain, tag="open"): ...


class Finish(Plain, tag="finish"): ...


class BlockCommand(Plain, tag="block"):
    """Command to run a block."""

    order: BlockOrder


class ListenerSide(msgspec.Struct):
    """Listener's view of a block, as ``task.TensorSide`` has it."""

    stamps: list[list[Stamp]]
    nbytes: Annotated[int, Meta(ge=0, le=2 * MOST_BYTES)]
    failure: str | None = None


def check_start(command: JsonObject, loopback: bool) -> None:
    """Check a ``start``. ``loopback``: it is this machine's. Raises RefusedCommandError."""
    start = _checked(command, StartCommand)
    # Files are for processes of one machine to meet in.
    if not loopback and (start.address or "").startswith(("/", "unix")):
        raise RefusedCommandError("a command has no right address")


def check_command(command: object) -> None:
    """Check what a worker is asked to do. Raises RefusedCommandError."""
    _checked(command, Open | Finish | BlockCommand)


def check_side(answer: JsonObject, count: int, numbers: int) -> None:
    """Check what a listener saw of ``count`` messages. Raises RefusedCommandError.

    Rows are of ``numbers``, and of one more where a plugin compresses.
    """
    stamps = _checked(answer, ListenerSide).stamps
    # A contender that delivers twice is to be seen, but not without bound.
    if len(stamps) > 2 * count + 16 or {*map(len, stamps)} - {numbers, numbers + 1}:
        raise RefusedCommandError("an answer has no right stamps")


def _checked(document: object, kind: Any) -> Any:
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise RefusedCommandError(f"a command is wrong: {plain(error)}") from None
