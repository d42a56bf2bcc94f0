# SPDX-License-Identifier: Apache-2.0
"""What a GroundTruth costs step by step: whole, by what changed, with its static data once."""

from __future__ import annotations

import msgspec

FORMAT = "wirecost-static"
VERSION = 1


class StaticRun(msgspec.Struct, frozen=True, kw_only=True):
    """A contender. Times are nanoseconds per step, a value each round."""

    name: str
    sent: str
    """Content of each message: all, changed or once."""
    bytes: float
    """Bytes of a step's message."""
    static_bytes: int
    """Bytes sent once before the first step."""
    write_ns: list[float]
    read_ns: list[float]
    processes: list[int]
    """Number of the process that each round ran in."""


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the GroundTruth, or of the elements of a list in it, over a trace's steps."""

    path: str
    bytes: float
    """Mean of a step."""
    changed: float
    """Share of the bytes whose value differs from the step before."""


class StaticRace(msgspec.Struct, frozen=True, kw_only=True):
    """All of them."""

    format: str = FORMAT
    version: int = VERSION
    about: dict[str, str]
    source: str
    """Where the steps come from."""
    lanes: int
    boundaries: int
    objects: int
    steps: int
    covered: float
    """Share of the source's bytes that is in what was sent; the rest was left out for all."""
    runs: list[StaticRun]
    failed: dict[str, str]
    changes: list[FieldChange]
