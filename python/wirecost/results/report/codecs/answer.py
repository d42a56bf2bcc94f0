# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench codecs``: which codec for these scans, and a table for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from wirecost.results.analysis.intervals import Resampler, ratio
from wirecost.results.records.codecs import CodecRace, CodecRun
from wirecost.results.report.shared import units
from wirecost.results.report.shared.first import FirstAnswer
from wirecost.results.report.shared.table import Column, Table

OURS = ("wirecost", "wirecost-quick")
OTHER = "cloudini-zstd"
COPY = "copy"


@dataclass(frozen=True)
class CodecRow:
    """A codec over all scans: sums of bytes and of median times."""

    codec: str
    is_lossy: bool
    share: float
    encode_ns: float
    decode_ns: float
    points: int
    raw_bytes: int
    error: float
    fault: str


def rows(runs: Sequence[CodecRun]) -> list[CodecRow]:
    """Return a row for each codec, the smallest first; a copy, and what failed, last."""
    found = []
    for name in dict.fromkeys(run.codec for run in runs):
        own = [run for run in runs if run.codec == name]
        raw = sum(run.raw_bytes for run in own)
        found.append(
            CodecRow(
                name,
                own[0].is_lossy,
                sum(run.bytes for run in own) / raw,
                sum(median(run.encode_ns) for run in own),
                sum(median(run.decode_ns) for run in own),
                sum(run.points for run in own),
                raw,
                max((max(run.errors.values(), default=0.0) for run in own), default=0.0),
                next((run.fault for run in own if run.fault), ""),
            )
        )
    return sorted(found, key=lambda row: (bool(row.fault), row.codec == COPY, row.share))


def is_beaten(row: CodecRow, others: Sequence[CodecRow]) -> bool:
    """Return whether another, which keeps as much, is smaller, and quicker to encode and decode."""
    return any(
        other.share < row.share
        and other.encode_ns < row.encode_ns
        and other.decode_ns < row.decode_ns
        and other.is_lossy <= row.is_lossy
        and not other.fault
        for other in others
    )


def first_answer(race: CodecRace) -> FirstAnswer:
    """Return the sentence, codecs over all scans that none beats in all, and what to do."""
    all_rows = rows(race.runs)
    good = [row for row in all_rows if not row.fault and row.codec != COPY]
    if not good:
        return FirstAnswer("No codec kept these scans.", table(race, race.runs, "All scans"))
    best = good[0]
    text = (
        f"{best.codec} is smallest: {100 * best.share:.1f} % of the bytes"
        f"{f' with errors up to {error_text(race.error)}' if best.is_lossy else ''}"
    )
    exact = next((row for row in good if not row.is_lossy), None)
    if exact is not None and best.is_lossy:
        text += f"; with every bit {exact.codec}, {100 * exact.share:.1f} %"
    if said := [one for one in (_beside(race, name, OTHER) for name in OURS) if one]:
        text += f". Beside {OTHER}, {'; '.join(said)}"
    steps = []
    if race.rate_hz:
        scans = len({run.scan for run in race.runs})
        rate = race.rate_hz / scans
        load = (best.encode_ns + best.decode_ns) * rate / 1e9
        steps.append(
            f"At {race.rate_hz:.3g} Hz {best.codec} saves "
            f"{units.size(round((1 - best.share) * best.raw_bytes * rate))}/s for "
            f"{100 * load:.2g} % of a core."
        )
    steps.append("In a program: wirecost.cloud.encode(points, error=…, quick=…).")
    beaten = [row.codec for row in good if row.codec != OTHER and is_beaten(row, good)]
    shown = [run for run in race.runs if run.codec not in beaten]
    hints = [f"Larger and slower than another: {', '.join(beaten)}."] if beaten else []
    older = sorted({run.library for run in race.runs if "upstream: " in run.library})
    hints += [f"Not the newest version: {library}." for library in older]
    return FirstAnswer(f"{text}.", table(race, shown, "All scans"), steps, hints)


def table(race: CodecRace, runs: Sequence[CodecRun], title: str) -> Table:
    """Return a table of codecs."""
    columns = [
        Column[CodecRow]("codec", lambda row: row.codec),
        Column[CodecRow]("of raw", lambda row: f"{100 * row.share:.1f} %"),
        Column[CodecRow]("encode", lambda row: _each(row.encode_ns, row)),
        Column[CodecRow]("decode", lambda row: _each(row.decode_ns, row)),
        Column[CodecRow]("largest error", _error_of),
        Column[CodecRow]("encode MB/s", lambda row: _speed(row.encode_ns, row), optional=1),
        Column[CodecRow]("decode MB/s", lambda row: _speed(row.decode_ns, row), optional=2),
    ]
    notes = [
        f"Times of a point, medians in one thread, in turns; errors of x, y, z asked for: "
        f"{error_text(race.error)}, measured on what came out; other fields keep every bit."
    ]
    return Table.of(title, rows(runs), columns, notes)


def tables(race: CodecRace) -> list[Table]:
    """Return all tables: over all scans, each scan, and what did not run."""
    found = [table(race, race.runs, "All scans")]
    scans = list(dict.fromkeys(run.scan for run in race.runs))
    if len(scans) > 1:
        for scan in scans:
            own = [run for run in race.runs if run.scan == scan]
            found.append(table(race, own, f"{scan}, {own[0].points:,} points"))
    if race.absent:
        headings = ["codec", "why"]
        found.append(
            Table("Not measured", headings, [list(one) for one in race.absent.items()], [])
        )
    return found


def _beside(race: CodecRace, one: str, other: str) -> str:
    """Say how a codec is beside another, over all scans, with intervals of the times."""
    sums = {name: _sums(race, name) for name in (one, other)}
    of_rows = {row.codec: row for row in rows(race.runs) if not row.fault}
    if one not in of_rows or other not in of_rows:
        return ""
    parts = [f"{of_rows[one].share / of_rows[other].share:.2f} of the bytes"]
    for stage in ("encode", "decode"):
        mine, its = sums[one][stage], sums[other][stage]
        resampler = Resampler(np.zeros(len(mine), np.int64))
        quicker = ratio(its, resampler.medians(its), mine, resampler.medians(mine))
        if quicker is not None:
            parts.append(
                f"{stage} {quicker.value:.1f} × as fast [{quicker.low:.1f}, {quicker.high:.1f}]"
            )
    return f"{one}: {', '.join(parts)}"


def _sums(race: CodecRace, name: str) -> dict[str, np.ndarray]:
    own = [run for run in race.runs if run.codec == name]
    return {
        stage: np.sum([getattr(run, f"{stage}_ns") for run in own], axis=0)
        for stage in ("encode", "decode")
    }


def _each(ns: float, row: CodecRow) -> str:
    return units.time(ns / row.points)


def _speed(ns: float, row: CodecRow) -> str:
    return f"{1000 * row.raw_bytes / ns:.0f}" if ns else units.NONE


def _error_of(row: CodecRow) -> str:
    if row.fault:
        return f"✗ {row.fault}"
    return "none" if not row.error else error_text(row.error)


def error_text(error: float) -> str:
    """Return an error as a distance."""
    if not math.isfinite(error):
        return "NaN lost"
    return f"{1000 * error:.3g} mm" if error < 1 else f"{error:.3g} m"
