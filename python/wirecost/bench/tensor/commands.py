# SPDX-License-Identifier: Apache-2.0
"""What travels between the processes of a benchmark, and what of it a listener accepts.

All of it is lines of JSON. The harness drives each worker, one end of a contender, over its
standard input and output:

| ``do`` | answer |
|---|---|
| ``open`` | ``done``, once the end is made |
| ``wait``, with ``timeout`` | ``there``: whether the other end is |
| ``block``, with ``order`` (``Order``) | listeners first ``ready``; then what it saw (``Side``) |
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
import re
from typing import Any

import numpy as np

from wirecost.bench.tensor.addresses import forms
from wirecost.bench.tensor.content import CONTENTS
from wirecost.bench.tensor.plugins import DEVICES, PLUGINS

VERSION = 2
MOST_COMMAND = 1 << 16
MOST_ANSWER = 1 << 26
"""Bytes of a line; answers hold a block's stamps."""
MOST_BYTES = 1 << 34
"""Of an array, 16 bytes an element."""
MOST_COUNT = 200_000
"""Messages of a block, so that its stamps fit a line."""
MOST_WORKERS = 32
TOPIC = re.compile(r"bench_[0-9a-f]{12}")
ADDRESS = re.compile(r"[A-Za-z0-9/\[][A-Za-z0-9_.:@/\[\]%-]{0,199}")


class RefusedError(Exception):
    """What is wrong with a command; one line."""


def _need(right: object, what: str) -> None:
    if not right:
        raise RefusedError(f"a command has no right {what}")


def _whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _number(value: object, least: float, most: float) -> bool:
    return type(value) in (int, float) and least <= value <= most  # type: ignore[operator]


def check_start(command: dict[str, Any], loopback: bool) -> None:
    """A worker that is asked for. ``loopback``: by this machine. Raises RefusedError."""
    keys = {"do", "worker", "way", "role", "size", "topic", "address"}
    _need(command.keys() == keys, "keys")
    _need(_whole(command["worker"], 0, 1 << 53), "worker")
    _need(isinstance(command["way"], str) and command["way"] in forms(), "way")
    _need(command["role"] in ("listen", "answer"), "role")
    _need(_whole(command["size"], 0, MOST_BYTES), "size")
    topic, address = command["topic"], command["address"]
    _need(isinstance(topic, str) and TOPIC.fullmatch(topic), "topic")
    if address is not None:
        _need(isinstance(address, str) and ADDRESS.fullmatch(address), "address")
        # Files are for processes of one machine to meet in.
        file = address.startswith(("/", "unix"))
        _need(loopback or not file, "address")


def check_command(command: object) -> None:
    """What a worker is asked to do. Raises RefusedError."""
    _need(isinstance(command, dict), "command")
    assert isinstance(command, dict)
    match command.get("do"):
        case "open" | "finish":
            _need(command.keys() == {"do"}, "keys")
        case "block":
            _need(command.keys() == {"do", "order"}, "keys")
            _check_order(command["order"])
        case _:
            _need(False, "command")


def _check_order(order: object) -> None:
    _need(isinstance(order, dict), "order")
    assert isinstance(order, dict)
    keys = {
        "plugin", "shape", "dtype", "content", "device", "objects", "first", "count", "rate",
        "seed",
    }  # fmt: skip
    _need(order.keys() == keys, "keys")
    _need(isinstance(order["objects"], bool), "objects")
    _need(isinstance(order["plugin"], str), "plugin")
    _need(order["plugin"] in PLUGINS or not (order["plugin"] or order["objects"]), "plugin")
    shape = order["shape"]
    _need(isinstance(shape, list) and 1 <= len(shape) <= 32, "shape")
    _need(all(_whole(extent, 1, 1 << 30) for extent in shape), "shape")
    _need(isinstance(order["dtype"], str) and len(order["dtype"]) <= 16, "dtype")
    try:
        dtype = np.dtype(order["dtype"])
    except (TypeError, ValueError, SyntaxError):
        raise RefusedError("a command has no right dtype") from None
    _need(dtype.kind in "iufc" and dtype.shape == (), "dtype")
    _need(math.prod(shape) * dtype.itemsize <= MOST_BYTES, "shape")
    _need(isinstance(order["content"], str) and order["content"] in CONTENTS, "content")
    _need(isinstance(order["device"], str) and order["device"] in DEVICES, "device")
    _need(_whole(order["first"], 0, 1 << 53), "first")
    _need(_whole(order["count"], 1, MOST_COUNT), "count")
    _need(_number(order["rate"], 0, 10_000), "rate")
    _need(_whole(order["seed"], 0, (1 << 31) - 1), "seed")


def check_side(answer: dict[str, Any], count: int, numbers: int) -> None:
    """What a listener saw of ``count`` messages: rows of ``numbers``, and of one more where a
    plugin compresses. Raises RefusedError."""
    stamps = answer.get("stamps")
    _need(isinstance(stamps, list), "stamps")
    assert isinstance(stamps, list)
    # A contender that delivers twice is to be seen, but not without bound.
    _need(len(stamps) <= 2 * count + 16, "stamps")
    for row in stamps:
        _need(isinstance(row, list) and len(row) in (numbers, numbers + 1), "stamps")
        _need(all(_whole(one, -(1 << 62), 1 << 62) for one in row), "stamps")
    _need(_whole(answer.get("nbytes"), 0, 2 * MOST_BYTES), "nbytes")
    _need(answer.get("failure") is None or isinstance(answer["failure"], str), "failure")
