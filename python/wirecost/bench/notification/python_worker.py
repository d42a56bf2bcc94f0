# SPDX-License-Identifier: Apache-2.0
"""A process of its own for the Python contenders: reads a job, prints what the C++ program prints.

``python -m wirecost.bench.notification.python_worker`` with one JSON object on standard input:
``command`` (list, carry, measure), ``lines`` (canonical messages), ``keys``, ``repetitions``.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import astuple
from time import perf_counter_ns
from typing import Any

from wirecost.bench.notification.content import Value, canonical, parse
from wirecost.bench.notification.python_contenders import PythonContender, all_contenders

LEAST_SAMPLE_NS = 1_000_000
WARM_RUNS = 20


def main() -> None:
    job = json.load(sys.stdin)
    found, missing = all_contenders()
    if job["command"] == "list":
        for one in found:
            print(*astuple(one.codec), sep="\t")
        for name, why in missing.items():
            print("missing", name, why, sep="\t")
        return
    by_key = {one.codec.key: one for one in found}
    chosen = [by_key[key] for key in job["keys"]]
    values = [parse(line) for line in job["lines"]]
    if job["command"] == "carry":
        _carry(chosen, values)
    else:
        _measure(chosen, values, job["repetitions"])


def _carry(contenders: list[PythonContender], values: list[Value]) -> None:
    for one in contenders:
        for i, value in enumerate(values):
            data = one.encode(one.fill(value))
            decoded = canonical(one.value(one.decode(data)))
            print(one.codec.key, i, data.hex(), decoded, sep="\t")


def _measure(contenders: list[PythonContender], values: list[Value], repetitions: int) -> None:
    passes_of = [(one, _passes(one, values)) for one in contenders]
    for repetition in range(repetitions):
        for one, passes in passes_of:
            ns = _timed(lambda one=one, passes=passes: _total(one, values, passes))  # type: ignore[misc]
            _print(one, repetition, "total", ns / (passes * len(values)))
        for one, passes in passes_of:
            for stage, ns in _stages(one, values, passes).items():
                _print(one, repetition, stage, ns / (passes * len(values)))
    for one, _ in passes_of:
        print(one.codec.key, 0, "sum", _total(one, values, 1), sep="\t", flush=True)


def _passes(one: PythonContender, values: list[Value]) -> int:
    """How often a sample goes through the messages to last long enough."""
    _total(one, values, WARM_RUNS)
    return LEAST_SAMPLE_NS // max(1, _timed(lambda: _total(one, values, 1))) + 1


def _print(one: PythonContender, repetition: int, stage: str, ns: float) -> None:
    print(one.codec.key, repetition, stage, f"{ns:.3f}", sep="\t", flush=stage == "total")


def _timed(action: Callable[[], Any]) -> int:
    """Nanoseconds an action takes while the cyclic garbage collector stands still."""
    gc.collect()
    gc.disable()
    try:
        begin = perf_counter_ns()
        action()
        return perf_counter_ns() - begin
    finally:
        gc.enable()


def _total(one: PythonContender, values: list[Value], passes: int) -> int:
    fill, encode, decode, read = one.fill, one.encode, one.decode, one.read
    total = 0
    for _ in range(passes):
        for value in values:
            total += read(decode(encode(fill(value))))
    return total


def _stages(one: PythonContender, values: list[Value], passes: int) -> dict[str, int]:
    """Nanoseconds of each stage, summed over the passes."""
    sums = dict.fromkeys(("fill", "encode", "decode", "read", "destroy"), 0)
    held: dict[str, list[Any]] = {"messages": [], "encoded": [], "decoded": []}

    def fill() -> None:
        held["messages"] = [one.fill(value) for value in values]

    def encode() -> None:
        held["encoded"] = [one.encode(message) for message in held["messages"]]

    def decode() -> None:
        held["decoded"] = [one.decode(data) for data in held["encoded"]]

    def read() -> None:
        for message in held["decoded"]:
            one.read(message)

    def destroy() -> None:
        for messages in held.values():
            messages.clear()

    for _ in range(passes):
        for action in (fill, encode, decode, read, destroy):
            sums[action.__name__] += _timed(action)
    return sums


if __name__ == "__main__":
    main()
