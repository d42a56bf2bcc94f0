# SPDX-License-Identifier: Apache-2.0
"""A fleet of traces with varied content, made of real ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import Message

from wirecost.errors import UserError
from wirecost.traces import Frame, create_trace, messages, open_trace
from wirecost.traces.choices import TYPES

SUFFIXES = (".osi", ".mcap")
JITTER_M = 0.5
NANOS = 1_000_000_000


def drives(data: Path, frames: int, seed: int) -> dict[str, tuple[str, list[Frame]]]:
    """Of each real trace below ``data`` a drive of so many frames: its own again and again, with
    times that go on and objects moved by up to half a metre. Message type and frames by name."""
    found: dict[str, tuple[str, list[Frame]]] = {}
    for path in sorted(data.rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        try:
            with open_trace(path) as trace:
                real = [messages.parse(trace.type_name, one) for _, one in trace.frames()]
                type_name = trace.type_name
        except UserError:
            continue  # no channel of OSI
        found[path.stem] = (type_name, list(_drive(type_name, real, frames, random.Random(seed))))
    return found


def write_fleet(
    folder: Path, made: dict[str, tuple[str, list[Frame]]], traces: int, seed: int
) -> int:
    """So many excerpts of the drives, each of another length from another frame on, half of them
    .osi and half .mcap. Gives their bytes."""
    chance = random.Random(seed)
    names = sorted(made)
    size = 0
    for number in range(traces):
        name = names[number % len(names)]
        type_name, frames = made[name]
        short = {value: key for key, value in TYPES.items()}[type_name]
        length = chance.randint(len(frames) // 24, len(frames) // 8)
        start = chance.randrange(len(frames) - length)
        day = folder / f"vehicle-{number % 7}" / f"day-{number % 31:02}"
        day.mkdir(parents=True, exist_ok=True)
        path = (
            day / f"{number:04}_{short}_{name.split('_')[-1]}{SUFFIXES[number // len(names) % 2]}"
        )
        with create_trace(path, type_name, compression="lz4") as writer:
            for time, frame in frames[start : start + length]:
                writer.write(time, frame)
        size += path.stat().st_size
    return size


def _drive(
    type_name: str, real: list[Message], count: int, chance: random.Random
) -> Iterator[Frame]:
    first, last = (_nanoseconds(one) for one in (real[0], real[-1]))
    period = max(last - first, 0) + NANOS // 20
    for number in range(count):
        cycle, index = divmod(number, len(real))
        message = real[index]
        copy = type(message)()
        copy.CopyFrom(message)
        time = _nanoseconds(message) + cycle * period
        copy.timestamp.seconds, copy.timestamp.nanos = divmod(time, NANOS)  # type: ignore[attr-defined]
        truth = copy if type_name == "GroundTruth" else getattr(copy, "global_ground_truth", None)
        for item in getattr(truth, "moving_object", ()):
            item.base.position.x += chance.uniform(-JITTER_M, JITTER_M)
            item.base.position.y += chance.uniform(-JITTER_M, JITTER_M)
        yield time, memoryview(copy.SerializeToString())


def _nanoseconds(message: Message) -> int:
    stamp = message.timestamp  # type: ignore[attr-defined]
    return int(stamp.seconds) * NANOS + int(stamp.nanos)
