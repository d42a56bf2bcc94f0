# SPDX-License-Identifier: Apache-2.0
"""Processor time of serialization by ``rclpy`` or ``genpy``, for messages that are given.

It runs in the Python of a ROS, which need not have what wirecost needs. Standard input: a JSON
list of contents, each a type and messages in base64. It prints a line of JSON for each: its
number, and nanoseconds per message of every repetition, by stage; a type that is not there has no
line.
"""

from __future__ import annotations

import base64
import gc
import importlib
import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

REPETITIONS = 7
LEAST_NS = 2_000_000
"""Of a repetition."""
MISSING_STATUS = 3


def times_of(work: Callable[[], None]) -> list[float]:
    """Return nanoseconds of processor time per call; the first calls warm the caches."""
    calls = 1
    while (took := _taken(work, calls)) < LEAST_NS:
        calls = max(2 * calls, int(calls * LEAST_NS / max(took, 1)))
    return [_taken(work, calls) / calls for _ in range(REPETITIONS)]


def _taken(work: Callable[[], None], calls: int) -> int:
    begin = time.thread_time_ns()
    for _ in range(calls):
        work()
    return time.thread_time_ns() - begin


def functions(library: str) -> tuple[Callable[[Any], object], Callable[[bytes, Any], Any]]:
    """Return what encodes a message, and what decodes one of a type. Raises ModuleNotFoundError."""
    if library == "rclpy":
        serialization = importlib.import_module("rclpy.serialization")
        return serialization.serialize_message, serialization.deserialize_message
    importlib.import_module("genpy")
    buffer = io.BytesIO()

    def serialize(message: Any) -> None:  # as rospy's publishers do
        message.serialize(buffer)
        buffer.seek(0)
        buffer.truncate(0)

    return serialize, lambda data, kind: kind().deserialize(data)


def main() -> int:
    try:
        serialize, deserialize = functions(sys.argv[1])
    except ModuleNotFoundError:
        return MISSING_STATUS
    gc.freeze()
    for number, (name, texts) in enumerate(json.load(sys.stdin)):
        package, _, kind_name = name.partition("/")
        try:
            kind: Any = getattr(importlib.import_module(f"{package}.msg"), kind_name)
        except (ImportError, AttributeError):
            continue
        wires = [base64.b64decode(text) for text in texts]
        messages = [deserialize(data, kind) for data in wires]

        def encode(messages: list[Any] = messages) -> None:
            for message in messages:
                serialize(message)

        def decode(wires: list[bytes] = wires, kind: Any = kind) -> None:
            for data in wires:
                deserialize(data, kind)

        times = {
            stage: [ns / len(wires) for ns in times_of(work)]
            for stage, work in (("encode", encode), ("decode", decode))
        }
        print(json.dumps([number, times]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
