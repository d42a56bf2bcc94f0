# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench static``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wirecost.results.records.schemas.common import Amount, Count, PlainMeta, PlainRun, Scenario

STAGES = ("write", "read", "total")


class StaticRun(PlainRun, kw_only=True):
    """``sent``: content of each message: all, changed or once."""

    sent: str
    static_bytes: Amount = 0
    """Bytes sent once before the first step."""


class FieldChange(msgspec.Struct, kw_only=True):
    """A field of the GroundTruth, or of the elements of a list in it, over a trace's steps."""

    path: str
    bytes: Amount
    """Mean of a step."""
    changed: Amount
    """Share of the bytes whose value differs from the step before."""


class StaticMeta(PlainMeta, kw_only=True):
    """``covered``: share of the source's bytes that is in what was sent."""

    lanes: Count
    boundaries: Count
    objects: Count
    steps: Count
    covered: Amount
    changes: list[FieldChange]
    runs: Sequence[StaticRun]


SCENARIO = Scenario(
    title="Static data of a GroundTruth: in every message, or once",
    meta=StaticMeta,
    stages=STAGES,
    needed=STAGES,
    baseline=("protobuf", ""),
    facts=("sent", "static_bytes"),
)
