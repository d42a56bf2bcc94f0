# SPDX-License-Identifier: Apache-2.0
"""The answer of ``wirecost cost --prove``: what was promised, and what was gained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.proofs import (
    KEPT,
    LESS,
    MORE,
    NOTHING,
    GainEstimate,
    gain,
    verdict,
)
from wirecost.results.records.proof import Proof
from wirecost.results.report.cost.answer import ABOUT, rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

VERDICTS = {
    KEPT: "the promise came true",
    LESS: "less than promised",
    MORE: "more than promised",
    NOTHING: "no gain that is larger than the noise",
}
LOST = 0.99
"""Share of the messages below which it is said that some did not arrive."""
Show = Callable[[float], str]


@dataclass(frozen=True)
class _Row:
    """A quantity; ``promised``: None where nothing was."""

    name: str
    gain: GainEstimate
    show: Show
    promised: float | None
    is_sure: bool = False


def proof_answer(proof: Proof, again: str) -> Answer:
    """Return what a remedy promised and gained; ``again``: the command that gave it."""
    remedy = proof.remedy
    whole = gain(proof.turns, lambda turn: turn.share)
    rows = _rows(proof)
    came = verdict(remedy.share, whole.gained)
    ends = f"1 publisher and {counted(proof.subscribers, 'subscriber')}"
    sentence = (
        f"{remedy.topic}: {remedy.what}: {_gained(whole.gained, share)} of a core was gained, "
        f"{ABOUT} {share(remedy.share)} promised: {VERDICTS[came]}."
    )
    columns = [
        Column[_Row]("", lambda row: row.name),
        Column[_Row]("before", lambda row: row.show(row.gain.before.value)),
        Column[_Row]("after", lambda row: row.show(row.gain.after.value)),
        Column[_Row]("gained [95 %]", lambda row: _gained(row.gain.gained, row.show)),
        Column[_Row]("promised", _promised),
    ]
    notes = [
        f"{ends}, each a process of its own: {proof.client}{_because(proof.why_client)}.",
        f"{units.significant(proof.rate_hz)} Hz, {len(proof.turns)} turns of each in alternation; "
        "without messages all of them take "
        f"{share(gain(proof.turns, lambda turn: turn.idle_share).before.value)} of a core more.",
    ]
    return Answer(
        sentence,
        Table.of("Gain of the change, share of a core by the kernel", rows, columns, notes),
        doubts=[(text, "yellow") for text in _doubts(proof)],
        heading=f"Proof: {remedy.topic}",
        more=f"Measure it again: {again}",
        document=msgspec.to_builtins(proof),
    )


def _rows(proof: Proof) -> list[_Row]:
    remedy, turns = proof.remedy, proof.turns
    takers = "subscriber's" if proof.subscribers == 1 else f"{proof.subscribers} subscribers'"
    rows = [
        _Row(
            "publisher's process", gain(turns, lambda turn: turn.publish_share), share,
            remedy.publish_share,
        ),
        _Row(
            f"{takers} process" if proof.subscribers == 1 else f"{takers} processes",
            gain(turns, lambda turn: turn.take_share), share, remedy.take_share,
        ),
        _Row(
            "bytes", gain(turns, lambda turn: turn.bytes_per_s), rate_of_bytes,
            remedy.bytes_per_s, is_sure=True,
        ),
    ]  # fmt: skip
    if all(side.latency_ns is not None for pair in turns for side in (pair.before, pair.after)):
        latency = gain(turns, lambda turn: turn.latency_ns or 0.0)
        rows.append(_Row("latency, median", latency, units.time, None))
    return rows


def _promised(row: _Row) -> str:
    if row.promised is None:
        return units.NONE
    return f"{'' if row.is_sure else f'{ABOUT} '}{row.show(row.promised)}"


def _gained(gained: Estimate, show: Show) -> str:
    """Return a gain with its interval; what got worse has a minus."""
    low, high = _signed(gained.low, show), _signed(gained.high, show)
    value = _signed(gained.value, show)
    return value if low == high == value else f"{value} [{low}, {high}]"


def _signed(value: float, show: Show) -> str:
    return f"−{show(-value)}" if value < 0 else show(value)


def _because(why: str) -> str:
    return f", {why}" if why else ""


def _doubts(proof: Proof) -> list[str]:
    sides = [
        ("before", min(pair.before.received for pair in proof.turns)),
        ("after", min(pair.after.received for pair in proof.turns)),
    ]
    return [
        f"Not all messages arrived {name} the change: {units.percent(received)} in one turn."
        for name, received in sides
        if received < LOST
    ]
