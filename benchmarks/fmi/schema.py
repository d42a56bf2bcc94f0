# SPDX-License-Identifier: Apache-2.0
"""Result folders of the study of FMI variables."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.results.records.schemas.common import Amount, Count, PlainMeta, PlainRun, Scenario


class FmiRun(PlainRun, kw_only=True):
    """A carrier of messages, or calls for values; ``variant``: the importer."""

    kind: str
    """``message``, or the type of the values: float64, int32, string, binary."""
    number: Count
    """Values of an exchange."""
    importer_copies: Count
    """Copies that importer and kernel make of the message."""
    copied_bytes: Amount
    """Bytes that both FMUs copied in an exchange, by their own count."""


class FmiMeta(PlainMeta, kw_only=True):
    """``meta.json``."""

    rounds: Count
    runs: Sequence[FmiRun]


SCENARIO = Scenario(
    title="Values and messages between FMUs",
    meta=FmiMeta,
    stages=("get", "set", "exchange", "total"),
    usual=("binary", "together"),
    baseline=("binary", ""),
    facts=("kind", "number", "importer_copies", "copied_bytes"),
)
