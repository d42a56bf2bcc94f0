# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench codecs``."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.results.records.schemas.common import (
    Amount,
    Count,
    PlainMeta,
    PlainRun,
    Real,
    Scenario,
)

STAGES = ("encode", "decode", "total")


class CodecRun(PlainRun, kw_only=True):
    """Codec on a scan.

    ``codec``: its name in the list of codecs; ``errors``: largest of each field that is not the
    same bit by bit; null: not finite.
    """

    codec: str = ""
    points: Count
    raw_bytes: Count
    is_lossy: bool
    errors: dict[str, Real | None]


class CodecMeta(PlainMeta, kw_only=True):
    """``error``: what x, y and z may be off, in their unit; ``rate_hz``: 0 where not known."""

    error: Amount
    rate_hz: Amount
    notes: list[str]
    advice: Sequence[str] = ()
    """What the clouds carry in vain, and what to do about it."""
    runs: Sequence[CodecRun]


SCENARIO = Scenario(
    title="Codecs of point clouds",
    meta=CodecMeta,
    stages=STAGES,
    needed=STAGES,
    baseline=("cloudini-zstd", ""),
    facts=("points", "raw_bytes", "is_lossy", "errors"),
)
