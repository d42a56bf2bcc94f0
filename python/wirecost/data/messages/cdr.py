# SPDX-License-Identifier: Apache-2.0
"""Representations of CDR, which the first two bytes of a message name (DDS-XTypes 1.3, 7.6.3.1)."""

from __future__ import annotations

from dataclasses import dataclass

HEADER_BYTES = 4
PLAIN, PLAIN2 = "plain CDR", "XCDR2"
_FORMS = {0: PLAIN, 1: "a parameter list of XCDR1", 3: PLAIN2, 4: "delimited XCDR2",
          5: "a parameter list of XCDR2"}  # fmt: skip
"""By half of the identifier, whose last bit is the order of bytes."""


@dataclass(frozen=True)
class Representation:
    """How the values of a message are encoded; ``order``: ``<`` or ``>``, as ``struct`` has it."""

    form: str
    order: str

    def __str__(self) -> str:
        return self.form + (", big-endian" if self.order == ">" else "")


_REPRESENTATIONS = {
    bytes((0, 2 * half + bit)): Representation(form, order)
    for half, form in _FORMS.items()
    for bit, order in enumerate("><")
}


def representation(message: bytes | memoryview) -> Representation:
    """Return how a message is encoded. Raises ValueError where it begins with no such header."""
    if len(message) < HEADER_BYTES:
        raise ValueError("shorter than the header of CDR")
    named = _REPRESENTATIONS.get(bytes(message[:2]))
    if named is None:
        raise ValueError(f"no header of CDR but the bytes {bytes(message[:2]).hex(' ')}")
    return named


def plain_order(message: bytes | memoryview) -> str:
    """Return the order of bytes of a message in plain CDR. Raises ValueError on any other."""
    named = representation(message)
    if named.form != PLAIN:
        raise ValueError(f"in {named}; plain CDR is read")
    return named.order
