# SPDX-License-Identifier: Apache-2.0
"""What variables and messages cost between two FMUs: times of every round, copies."""

from __future__ import annotations

import msgspec

FORMAT = "wirecost-fmi"
VERSION = 1


class FmiRun(msgspec.Struct, frozen=True, kw_only=True):
    """One contender with one case. Times are in nanoseconds of an exchange, a value each round."""

    kind: str
    """``message``, or the type of the values: float64, int32, string, binary."""
    fmi: int
    importer: str
    contender: str
    """Carrier of messages; calls for values: together, each, array or buffers."""
    number: int
    bytes: int
    """Bytes of a value or of the message."""
    parts: dict[str, list[float]]
    """``get`` and ``set`` of values; ``exchange`` of a message: write, carry, read."""
    copied_bytes: float
    """Bytes that both FMUs copied in an exchange, by their own count."""
    importer_copies: int
    """Copies that importer and kernel make of the message."""


class FmiRace(msgspec.Struct, frozen=True, kw_only=True):
    """All of them."""

    format: str = FORMAT
    version: int = VERSION
    about: dict[str, str]
    runs: list[FmiRun]
    absent: dict[str, str]
    """Contenders that did not run, and why."""
