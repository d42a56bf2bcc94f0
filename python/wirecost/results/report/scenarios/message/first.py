# SPDX-License-Identifier: Apache-2.0
"""First answer about a message: does it matter, which library, what to do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wirecost.results.analysis.message_doubts import Key
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.message import AtRate, MessageMeta
from wirecost.results.report.scenarios.message.changes import COLUMNS, quicker, uses, wire_of
from wirecost.results.report.scenarios.message.stages import SECOND, share_of_core, shares
from wirecost.results.report.shared import units
from wirecost.results.report.shared.first import FirstAnswer
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

WORTH = 0.01
"""Share of a core that a change must save to be worth making."""
LARGE_FIELD = 0.1
"""Share of the bytes that a change of the message must save to be named first."""
MADE_UP = "made-up messages"
MOST = 0.5
"""Share of the bytes of the field that is named."""
MOST_ROWS = 9


def first_answer(
    meta: MessageMeta,
    rows: list[Row],
    doubted: Collection[Key],
    ends: Mapping[Key, tuple[float, float]],
) -> FirstAnswer | None:
    """Return the first answer; None where no contender was measured whole."""
    totals = [row for row in rows if row.stage == "total"]
    if not totals:
        return None
    bases = {row.lang: row for row in totals if row.ratio and row.ratio.to == row.name}
    quickest = {row.lang: row for row in sorted(totals, key=lambda row: -row.median_ns)}
    said_of = {lang: bases.get(lang, quickest[lang]) for lang in LANGUAGES if lang in quickest}
    costs = [(row, _in(row, row.lang in bases)) for row in said_of.values()]
    sure = [row for row in totals if (row.lang, row.name) not in doubted]
    steps = _steps(meta, totals, doubted, ends)
    rate, said = _rate(meta)
    if rate is None:
        times = ", ".join(f"{units.time(row.median_ns)} {where}" for row, where in costs)
        size = units.size(costs[0][0].bytes)
        answer = f"One {meta.type} of {size} takes {times}. `--rate HZ`: the share of a core."
    else:
        whole = {} if meta.at_rate is None else shares(meta.at_rate, rows)
        taken = ", ".join(
            f"{share_of_core(whole.get((row.lang, row.name), row.median_ns * rate / SECOND))} "
            f"of a core {where}"
            for row, where in costs
        )
        verdict, is_worth = _verdict(bases, sure, rate)
        size = units.size(costs[0][0].bytes)
        answer = f"{said} one {meta.type} of {size} takes {taken}: {verdict}"
        steps = steps if is_worth else []
    answer += _mostly(meta)
    # Who gave a recording knows it; made-up messages may be of other lengths than real ones.
    if MADE_UP in meta.content:
        answer += f" {meta.content.partition(': every field')[0]}."
    return FirstAnswer(answer, _table(meta, totals, bases, doubted), steps)


def _rate(meta: MessageMeta) -> tuple[float | None, str]:
    """Return messages a second, and whose rate it is."""
    if meta.at_rate is not None:
        return meta.at_rate.rate, _asked(meta.at_rate)
    if meta.recorded_hz is not None:
        return meta.recorded_hz, f"At the recording's {units.significant(meta.recorded_hz)} Hz"
    return None, ""


def _asked(asked: AtRate) -> str:
    """Name the rate that was asked for, what carries the messages, and to whom."""
    said = f"At {units.significant(asked.rate)} Hz"
    if asked.carrying is not None:
        said += f", over {asked.carrying.over}"
    if asked.subscribers > 1:
        said += f", to {asked.subscribers} subscribers"
    return f"{said}," if "," in said else said


def _verdict(bases: Mapping[str, Row], sure: list[Row], rate: float) -> tuple[str, bool]:
    """Say what the best change would save, and whether it would be worth it."""
    savings = [
        (bases[row.lang].median_ns - row.median_ns) * rate / SECOND
        for row in sure
        if row.lang in bases
    ]
    most = max(savings, default=0.0)
    if most >= WORTH:
        return f"a change would save up to {share_of_core(most)} of a core.", True
    if most <= 0:
        return "nothing worth changing.", False
    return f"nothing worth changing, at most {share_of_core(most)} of a core to save.", False


def _in(row: Row, is_base: bool) -> str:
    unknown = "" if is_base else "; the library in use was not measured"
    return f"in {LANGUAGES.get(row.lang, row.lang)} ({row.name}{unknown})"


def _mostly(meta: MessageMeta) -> str:
    """Name the innermost field that most of the bytes are in; empty where there is none."""
    paths = [part.path for part in meta.fields if part.all >= MOST * meta.counted_bytes]
    if not paths:
        return ""
    innermost = max(paths, key=lambda path: path.count("."))
    (share,) = (part.all for part in meta.fields if part.path == innermost)
    return f" {share / meta.counted_bytes:.0%} of its bytes are `{innermost}`.".replace("%", " %")


@dataclass(frozen=True)
class _Library:
    """Library on its wire, with its best row in each language."""

    name: str
    is_same_wire: bool
    best: dict[str, Row]

    def time(self, lang: str) -> str:
        row = self.best.get(lang)
        return units.time(row.median_ns) if row else units.NONE

    def mode(self, lang: str) -> str:
        row = self.best.get(lang)
        return row.mode if row else ""

    def ratio(self, lang: str) -> str:
        row = self.best.get(lang)
        return units.significant(row.ratio.median) if row and row.ratio else ""


def _table(
    meta: MessageMeta, totals: list[Row], bases: Mapping[str, Row], doubted: Collection[Key]
) -> Table:
    """Return a row for each library in its best mode, those with the same bytes first."""
    wires = {wire_of(meta, row) for row in bases.values()}
    libraries: dict[str, _Library] = {}
    for row in sorted(totals, key=lambda row: row.median_ns):
        is_base = bases.get(row.lang) is row
        name = f"{row.contender} now" if is_base else row.contender
        library = libraries.setdefault(name, _Library(name, wire_of(meta, row) in wires, {}))
        library.best.setdefault(row.lang, row)
    ordered = sorted(
        libraries.values(),
        key=lambda library: (
            not library.name.endswith(" now"),
            not library.is_same_wire,
            min(row.ratio.median if row.ratio else 1.0 for row in library.best.values()),
        ),
    )
    langs = [lang for lang in LANGUAGES if any(lang in one.best for one in ordered)]
    columns: list[Column[_Library]] = [
        Column("library", lambda library: library.name),
        Column("bytes", lambda library: "same" if library.is_same_wire else "other", optional=1),
    ]
    for lang in langs:
        columns += _columns(lang)
    notes = [
        "Medians, each library in its best mode; now: assumed in use; ×: beside it.",
    ]
    if COLUMNS in libraries:
        notes.insert(0, f"{COLUMNS}: with conversion from and to rows; `bench osi`: without.")
    if doubted:
        in_doubt = counted(len(doubted), "contender")
        notes.append(f"{in_doubt} in doubt, as times vary: run again when idle.")
    return Table.of("Time per message", ordered[:MOST_ROWS], columns, notes)


def _columns(lang: str) -> list[Column[_Library]]:
    title = LANGUAGES.get(lang, lang)
    return [
        Column(title, lambda library: library.time(lang)),
        Column(f"{title} mode", lambda library: library.mode(lang), optional=2),
        Column(f"× {title}", lambda library: library.ratio(lang)),
    ]


def _steps(
    meta: MessageMeta,
    totals: list[Row],
    doubted: Collection[Key],
    ends: Mapping[Key, tuple[float, float]],
) -> list[str]:
    """Return at most three things to do: other code, another wire, another message."""
    with_ratio = [row for row in totals if row.ratio is not None]
    steps: dict[bool, str] = {}
    wires = {row.lang: wire_of(meta, row) for row in with_ratio if row.ratio.to == row.name}  # type: ignore[union-attr]
    for row, whom, speed, _ in quicker(meta, with_ratio, doubted, ends):
        is_same = wire_of(meta, row) == wires.get(row.lang)
        title = LANGUAGES.get(row.lang, row.lang)
        how = "".join(uses(meta, [row]).values())
        text = f"{title}: {row.name} ({whom}): {speed}"
        steps.setdefault(is_same, f"{text}; {how}" if how else f"{text}.")
    texts = [steps[is_same] for is_same in (True, False) if is_same in steps]
    large = [
        change for change in meta.changes if change.bytes <= (1 - LARGE_FIELD) * meta.counted_bytes
    ]
    for change in large[:1]:
        texts.append(f"{change.what}: {units.size(round(change.bytes))} remain ({change.how}).")
    return texts[:3]
