# SPDX-License-Identifier: Apache-2.0
"""A process of its own for the Python contenders: reads a job, prints what the C++ program prints.

``python -m wirecost.bench.notification.python_worker`` with one JSON object on standard input:
``command`` (list, carry, measure), ``lines`` (canonical messages), ``keys``, ``repetitions``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import astuple, replace
from random import SystemRandom
from typing import Any

from wirecost.bench.notification.content import Value, canonical, parse
from wirecost.bench.notification.lines import SENT
from wirecost.bench.notification.python_contenders import PythonContender, all_contenders
from wirecost.bench.timed import timed

LEAST_SAMPLE_NS = 1_000_000
WARM_RUNS = 20
RANDOM = SystemRandom()


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
    right = dict.fromkeys((one.codec.key for one in contenders), 1)
    for repetition in range(repetitions):
        for one, passes in passes_of:
            # How many there are is not foreseen: the last one is looked at afterwards.
            batch = _altered(values * passes)[RANDOM.randrange(len(values)) :]
            ns, read, sent = _timed_total(one, batch)
            _print(one, repetition, "total", ns / len(batch))
            right[one.codec.key] &= read == sum(map(_reading, batch))
            print(one.codec.key, repetition, SENT, sent.hex(), canonical(batch[-1]), sep="\t")
        for one, passes in passes_of:
            for stage, ns in _stages(one, _altered(values), passes).items():
                _print(one, repetition, stage, ns / (passes * len(values)))
    # Whether each read, whenever it was timed, what there was to read.
    for key, one_or_zero in {"all": 1, **right}.items():
        print(key, 0, "sum", one_or_zero, sep="\t", flush=True)


def _altered(values: list[Value]) -> list[Value]:
    """Others of the same sizes, varints too, so that nothing kept of an earlier pass is right."""
    made = []
    for value in values:
        name, number = value.event_id
        at = RANDOM.randrange(len(name))
        other = name[:at] + bytes([RANDOM.randrange(1, 256)]) + name[at + 1 :]
        made.append(replace(value, event_id=(other, number ^ RANDOM.randrange(128))))
    return made


def _reading(value: Value) -> int:
    """What a contender's ``read`` adds up to."""
    texts = (value.event_id[0], value.scope, value.wire_schema, value.data, value.method)
    named = (*value.causes, *value.user_times)
    total = sum(map(len, texts)) + value.event_id[1] + sum(value.times)
    total += sum(len(name) + number for name, number in named)
    return total + sum(len(key) + len(info) for key, info in value.user_infos)


def _passes(one: PythonContender, values: list[Value]) -> int:
    """How often a sample goes through the messages to last long enough."""
    _total(one, values * WARM_RUNS)
    return LEAST_SAMPLE_NS // max(1, timed(lambda: _total(one, values))) + 1


def _print(one: PythonContender, repetition: int, stage: str, ns: float) -> None:
    print(one.codec.key, repetition, stage, f"{ns:.3f}", sep="\t", flush=stage == "total")


def _total(one: PythonContender, values: list[Value]) -> tuple[int, bytes]:
    """What reading them added up to, and the bytes of the last one."""
    fill, encode, decode, read = one.fill, one.encode, one.decode, one.read
    total, data = 0, b""
    for value in values:
        total += read(decode(data := encode(fill(value))))
    return total, data


def _timed_total(one: PythonContender, values: list[Value]) -> tuple[int, int, bytes]:
    """Nanoseconds, and what ``_total`` gives."""
    found: list[tuple[int, bytes]] = []
    ns = timed(lambda: found.append(_total(one, values)))
    ((read, sent),) = found
    return ns, read, sent


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
            sums[action.__name__] += timed(action)
    return sums


if __name__ == "__main__":
    main()
