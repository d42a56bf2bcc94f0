# SPDX-License-Identifier: Apache-2.0
"""Bits of a class with Protobuf's interface that tell that a number or a text is there."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.schema.compile.schema import Field, Label, Message, MessageRef, Presence

WORD = 32
"""Bits of a word."""
NAME = "wirecost_present"
"""The array of words."""


@dataclass(frozen=True)
class PresentBit:
    word: str
    mask: str


def can_be_absent(item: Field) -> bool:
    """Return whether code asks ``has_x`` of a field: in the classes of required ones, too."""
    return (
        item.label is Label.SINGLE and item.oneof is None and item.presence is not Presence.IMPLICIT
    )


def present_bits(message: Message) -> dict[str, PresentBit]:
    """Return the bits of the fields that have one, by name."""
    counted = [f for f in message.fields if can_be_absent(f) and not isinstance(f.type, MessageRef)]
    return {
        f.name: PresentBit(f"{NAME}[{i // WORD}]", f"{1 << i % WORD:#x}U")
        for i, f in enumerate(counted)
    }
