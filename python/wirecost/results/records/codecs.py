# SPDX-License-Identifier: Apache-2.0
"""What codecs of point clouds did with some scans: sizes, times of every round, errors made."""

from __future__ import annotations

import msgspec

FORMAT = "wirecost-codecs"
VERSION = 1


class CodecRun(msgspec.Struct, frozen=True, kw_only=True):
    """A codec with one scan. Times are in nanoseconds, a value each round."""

    scan: str
    codec: str
    library: str
    is_lossy: bool
    points: int
    raw_bytes: int
    bytes: int
    encode_ns: list[float]
    decode_ns: list[float]
    errors: dict[str, float]
    """Largest error of each field that is not the same bit by bit."""
    fault: str = ""
    """What makes it no contender: an error that is too large, or a field that was lost."""


class CodecRace(msgspec.Struct, frozen=True, kw_only=True):
    """All of them. ``error``: what x, y and z may be off, in their unit."""

    format: str = FORMAT
    version: int = VERSION
    about: dict[str, str]
    error: float
    rate_hz: float
    """Scans a second, of the recording; 0: not known."""
    runs: list[CodecRun]
    absent: dict[str, str]
    """Codecs that did not run, and why."""
