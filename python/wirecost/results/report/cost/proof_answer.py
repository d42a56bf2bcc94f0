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
from wirecost.results.records.proof import Proof, StandInTurn
from wirecost.results.report.cost.answer import ABOUT, LEAST_SHARE, rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

VERDICTS = {
    KEPT: "the promise came true",
    LESS: "it gains less than promised",
    MORE: "it gains more than promised",
    NOTHING: "it gains nothing that is larger than the noise",
}
LOST = 0.99
"""Share of the messages below which it is said that some did not arrive."""
BUSY = 0.7
"""Load of each processor from which on times are those of a busy machine."""
Show = Callable[[float], str]


@dataclass(frozen=True)
class _Row:
    """A quantity; ``promised``: None where nothing was; ``is_counted``: not measured."""

    name: str
    gain: GainEstimate
    show: Show
    promised: float | None
    is_counted: bool = False


def proof_answer(proof: Proof) -> Answer:
    """Return what a remedy promised and gained."""
    remedy = proof.remedy
    rows = _rows(proof)
    ends = f"1 publisher and {counted(proof.subscribers, 'subscriber')}"
    idle = gain(proof.turns, lambda turn: turn.idle_share).before.value
    columns = [
        Column[_Row]("", lambda row: row.name),
        Column[_Row]("before", lambda row: row.show(row.gain.before.value)),
        Column[_Row]("after", lambda row: row.show(row.gain.after.value)),
        Column[_Row]("gained [95 %]", _gain_of),
        Column[_Row]("promised", _promised),
    ]
    turns = (
        f"{units.significant(proof.rate_hz)} Hz; {len(proof.turns)} turns of each in alternation."
    )
    notes = [
        f"{ends}, each a process of its own: {proof.client}{_because(proof.why_client)}.",
        f"{turns} Without messages these processes take {share(idle)} of a core.",
    ]
    if not proof.client:
        notes = [f"{ends} encode and decode by code compiled for the type; nothing is sent.", turns]
    return Answer(
        f"{remedy.topic}: {remedy.what}: {_outcome(proof)}",
        Table.of("Gain of the change, share of a core by the kernel", rows, columns, notes),
        doubts=[(text, "yellow") for text in _doubts(proof)],
        heading=f"Proof: {remedy.topic}",
        document=msgspec.to_builtins(proof),
    )


def _outcome(proof: Proof) -> str:
    """Return whether the promise came true, in processor time, else in latency."""
    remedy = proof.remedy
    if remedy.share < LEAST_SHARE and remedy.latency and _has_latency(proof):
        latency = gain(proof.turns, _latency_ns)
        verb = "falls" if latency.gained.low > 0 else "does not fall for sure"
        before, after = units.time(latency.before.value), units.time(latency.after.value)
        return f"the latency {verb}: {before} before, {after} after ({remedy.latency}, promised)."
    whole = gain(proof.turns, lambda turn: turn.share).gained
    came = VERDICTS[verdict(remedy.share, whole)]
    return (
        f"{came}. Promised: {ABOUT} {share(remedy.share)} of a core; "
        f"gained: {_gained(whole, share)}."
    )


def _has_latency(proof: Proof) -> bool:
    return all(
        side.latency_ns is not None for pair in proof.turns for side in (pair.before, pair.after)
    )


def _latency_ns(turn: StandInTurn) -> float:
    return turn.latency_ns or 0.0


def _rows(proof: Proof) -> list[_Row]:
    remedy, turns = proof.remedy, proof.turns
    takers = "subscriber" if proof.subscribers == 1 else f"{proof.subscribers} subscribers"
    published = gain(turns, lambda turn: turn.publish_share)
    taken = gain(turns, lambda turn: turn.take_share)
    byte_rate = gain(turns, lambda turn: turn.bytes_per_s)
    rows = [
        _Row("publisher", published, share, remedy.publish_share),
        _Row(takers, taken, share, remedy.take_share),
        _Row("bytes", byte_rate, rate_of_bytes, remedy.bytes_per_s, is_counted=True),
    ]
    if _has_latency(proof):
        rows.append(_Row("latency, median", gain(turns, _latency_ns), units.time, None))
    return rows


def _promised(row: _Row) -> str:
    if row.promised is None:
        return units.NONE
    return f"{'' if row.is_counted else f'{ABOUT} '}{row.show(row.promised)}"


def _gain_of(row: _Row) -> str:
    gained = row.gain.gained
    return _signed(gained.value, row.show) if row.is_counted else _gained(gained, row.show)


def _gained(gained: Estimate, show: Show) -> str:
    """Return a gain with its interval; what got worse has a minus."""
    low, high = _signed(gained.low, show), _signed(gained.high, show)
    value = _signed(gained.value, show)
    return value if low == high == value else f"{value} [{low}, {high}]"


def _signed(value: float, show: Show) -> str:
    return f"−{show(-value)}" if value < 0 else show(value)


def _because(why: str) -> str:
    return f", {why}; the promise is for these" if why else ""


def _doubts(proof: Proof) -> list[str]:
    sides = [
        ("before", min(pair.before.received for pair in proof.turns)),
        ("after", min(pair.after.received for pair in proof.turns)),
    ]
    lines = [
        f"Not all messages arrived {name} the change: {units.percent(received)} in one turn."
        for name, received in sides
        if received < LOST
    ]
    if proof.load > BUSY:
        lines.append(
            f"The machine is busy (load {proof.load:.1f} of each processor): measure again later."
        )
    return lines
