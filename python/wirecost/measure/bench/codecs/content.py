# SPDX-License-Identifier: Apache-2.0
"""The answer of ``bench codecs``: which codec for these scans, and a table for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.together import together
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.any import content as plain
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import of_race, races, speed_interval
from wirecost.results.report.shared.table import Column, Table

from .schema import CodecMeta, CodecRun

OURS = ("wirecost", "wirecost-quick")
COPY = "copy"
MOST_ADVICE = 3
ALL = "All scans"


@dataclass(frozen=True)
class CodecRow:
    """A codec with one scan, or with all; ``error``: its largest."""

    encode: Row
    decode: Row
    points: int
    raw_bytes: int
    is_lossy: bool
    error: float

    @property
    def codec(self) -> str:
        return self.encode.contender

    @property
    def share(self) -> float:
        """Share of the bytes that are left."""
        return self.encode.bytes / self.raw_bytes

    def is_beaten_by(self, other: CodecRow) -> bool:
        """Return whether another, which keeps as much, is smaller and faster in both stages."""
        return (
            other.share < self.share
            and other.encode.median_ns < self.encode.median_ns
            and other.decode.median_ns < self.decode.median_ns
            and other.is_lossy <= self.is_lossy
        )


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report: all scans together, then each."""
    meta = results.meta_as(CodecMeta)
    usual = plain.content(results, rows)
    whole = codec_rows(meta, together(results, ALL))
    each = [_table(meta, codec_rows(meta, of_race(rows, race)), race[0]) for race in races(rows)]
    first = first_answer(meta, whole)
    return replace(
        usual,
        lead=first.sentence,
        tables=[_table(meta, whole, ALL)],
        folded=each if len(each) > 1 else [],
        first=first,
    )


def codec_rows(meta: CodecMeta, rows: Sequence[Row]) -> list[CodecRow]:
    """Return a row for each codec, the smallest first and a copy last; of one race, or of all."""
    stages = {(row.contender, row.stage): row for row in rows}
    cases = {row.case for row in rows}
    codecs = []
    for name in dict.fromkeys(row.contender for row in rows):
        runs = [run for run in meta.runs if run.contender == name and run.failure is None]
        own = [run for run in runs if run.case in cases] or runs
        codecs.append(
            CodecRow(
                stages[name, "encode"],
                stages[name, "decode"],
                sum(run.points for run in own),
                sum(run.raw_bytes for run in own),
                own[0].is_lossy,
                max(map(_largest_error, own)),
            )
        )
    return sorted(codecs, key=lambda row: (row.codec == COPY, row.share))


def first_answer(meta: CodecMeta, rows: list[CodecRow]) -> Answer:
    """Return the sentence, codecs over all scans that none beats in all, and what to do."""
    good = [row for row in rows if row.codec != COPY]
    if not good:
        return Answer(
            "No codec kept these scans within the allowed error.", _table(meta, rows, ALL)
        )
    best = good[0]
    text = (
        f"{best.codec} is smallest: {100 * best.share:.1f} % of the bytes"
        f"{f' with errors up to {units.distance(meta.error)}' if best.is_lossy else ''}"
    )
    exact = next((row for row in good if not row.is_lossy), None)
    if exact is not None and best.is_lossy:
        text += f"; with every bit {exact.codec}, {100 * exact.share:.1f} %"
    by_name = {row.codec: row for row in good}
    ours = [by_name[name] for name in OURS if name in by_name]
    baseline = next((row.encode.ratio.to for row in ours if row.encode.ratio), "")
    if other := by_name.get(baseline):
        text += f". Compared with {other.codec}, {'; '.join(_compared(row, other) for row in ours)}"
    steps = []
    if meta.rate_hz:
        rate = meta.rate_hz / len({run.case for run in meta.runs})
        load = (best.encode.median_ns + best.decode.median_ns) * rate / 1e9
        steps.append(
            f"At {meta.rate_hz:.3g} Hz {best.codec} saves "
            f"{units.size(round((1 - best.share) * best.raw_bytes * rate))}/s for "
            f"{100 * load:.2g} % of one CPU core."
        )
    steps.append("In your program, call wirecost.cloud.encode(points, error=…, quick=…).")
    steps += meta.advice[:MOST_ADVICE]
    beaten = [
        row.codec for row in good if row.codec != baseline and any(map(row.is_beaten_by, good))
    ]
    hints = (
        [f"Not shown, because another codec is both smaller and faster: {', '.join(beaten)}."]
        if beaten
        else []
    )
    libraries = {about.library for about in meta.contenders.values()}
    older = sorted(library for library in libraries if "upstream: " in library)
    hints += [f"This is not the newest version: {library}." for library in older]
    unbeaten = [row for row in rows if row.codec not in beaten]
    return Answer(f"{text}.", _table(meta, unbeaten, ALL), steps, [*hints, *meta.notes])


def _table(meta: CodecMeta, rows: Sequence[CodecRow], title: str) -> Table:
    columns = [
        Column[CodecRow]("codec", lambda row: row.codec),
        Column[CodecRow]("of raw", lambda row: f"{100 * row.share:.1f} %"),
        Column[CodecRow]("encode", lambda row: units.time(row.encode.median_ns / row.points)),
        Column[CodecRow]("decode", lambda row: units.time(row.decode.median_ns / row.points)),
        Column[CodecRow]("largest error", _error),
        Column[CodecRow]("encode MB/s", lambda row: _speed(row, row.encode), optional=1),
        Column[CodecRow]("decode MB/s", lambda row: _speed(row, row.decode), optional=2),
    ]
    notes = [
        "Times per point, medians in one thread, in turns; allowed errors of x, y, z: "
        f"{units.distance(meta.error)}, measured on what came out; other fields keep every bit."
    ]
    named = title if title == ALL or not rows else f"{title}, {rows[0].points:,} points"
    return Table.of(named, rows, columns, notes)


def _compared(row: CodecRow, other: CodecRow) -> str:
    """Say how a codec compares with another over all scans, with intervals of the times."""
    parts = [f"{row.codec} needs {100 * row.share / other.share:.0f} % of the bytes"]
    for stage in (row.encode, row.decode):
        within = speed_interval(stage, stage.ratio)
        bounds = f" [{within}]" if within != units.NONE else ""
        if stage.ratio is not None:
            parts.append(f"{stage.stage} {1 / stage.ratio.median:.1f} × as fast{bounds}")
    return ", ".join(parts)


def _speed(row: CodecRow, stage: Row) -> str:
    return f"{1000 * row.raw_bytes / stage.median_ns:.0f}" if stage.median_ns else units.NONE


def _error(row: CodecRow) -> str:
    return units.distance(row.error) if row.error else "none"


def _largest_error(run: CodecRun) -> float:
    return max((math.inf if error is None else error for error in run.errors.values()), default=0.0)
