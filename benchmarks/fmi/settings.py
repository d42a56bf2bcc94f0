# SPDX-License-Identifier: Apache-2.0
"""Compare importers, calls and carriers of FMI 2 and 3.

Two FMUs exchange values by number, and messages by size: OSMP pointers, binaries, shared memory.
Every value and message is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.system.byte_sizes import parse_size
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench --from benchmarks fmi --counts 1,1000 --sizes 1MiB"

MOST_VALUES, MOST_BYTES = 100_000, 1 << 26
WORD = 8
"""Bytes of which a message's size is a multiple: it is written and checked in words."""


def _sizes(label: str, text: str) -> list[int]:
    sizes = [parse_size(label, part, "8B or 1MiB") for part in text.split(",")]
    if not all(WORD <= size <= MOST_BYTES and size % WORD == 0 for size in sizes):
        raise UserError(f"{label} {text}: give multiples of {WORD} bytes, at most 64MiB")
    return list(dict.fromkeys(sizes))


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Numbers of values, sizes of messages, and how often each contender runs."""

    counts: tuple[int, ...] = option.setting(
        (1, 100, 10_000),
        "Values exchanged at a communication point.",
        metavar="N,…",
        check=option.within(1, MOST_VALUES),
    )
    sizes: tuple[int, ...] = option.setting(
        (8, 1 << 16, 1 << 20, 1 << 23, 1 << 26),
        "Sizes of messages.",
        metavar="SIZE,…",
        parse=_sizes,
        shown="8B,64KiB,1MiB,8MiB,64MiB",
    )
    rounds: int = option.setting(20, "How often each contender runs.", check=option.within(1, 1000))
    seed: int = option.seed("Seed of the contenders' order.")
