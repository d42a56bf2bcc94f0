# SPDX-License-Identifier: Apache-2.0
"""The seeded messages that all decoders are given."""

from __future__ import annotations

import random
from collections.abc import Iterator

from attack.decoders import hostile_protobuf, hostile_sequential
from attack.decoders.cases import MESSAGES, Case, schema, wires
from attack.mutate import mutated

DAMAGED = 0.12
"""Of the messages that were made to the schema: their bytes are edited at random besides."""
LARGEST = 20_000
WEIGHTS = (6, 6, 3, 4, 2, 2)
"""How often each of the messages is made."""


def defaults() -> Iterator[Case]:
    """Return the message that was just made, of each kind and on each wire."""
    for name in MESSAGES:
        for wire in wires(name):
            yield Case(name, wire, None)


def case(seed: int, number: int) -> Case:
    """Return the message of that number, the same wherever it is made."""
    chance = random.Random(f"decoders {seed} {number}")
    (name,) = chance.choices(MESSAGES, WEIGHTS)
    wire = chance.choice(("protobuf", *wires(name)))  # the richest one more often
    if wire == "protobuf":
        data = hostile_protobuf.Hostile(schema(), chance).message(name)
    else:
        data = hostile_sequential.Hostile(schema(), wire, chance).message(name)
    if data and chance.random() < DAMAGED:
        data = mutated([data], chance)
    return Case(name, wire, data[:LARGEST])


def cases(seed: int, first: int, count: int) -> Iterator[Case]:
    for number in range(first, first + count):
        yield case(seed, number)
