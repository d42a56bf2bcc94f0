# SPDX-License-Identifier: Apache-2.0
"""First answer about a message: does it matter, which library, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirecost.results.analysis.message_doubts import Doubt, Key, is_in_doubt
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.message import AtRate, MessageMeta
from wirecost.results.report.scenarios.message.changes import (
    ALL_PEERS,
    COLUMNS,
    COMPILED,
    FASTER,
    FROM_ARRAYS,
    SAME,
    quicker,
    schema_given,
    uses,
    wire_of,
)
from wirecost.results.report.scenarios.message.stages import SECOND, Load, loads, share_of_core
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.table import Column, Table

WORTH = 0.01
"""Share of a core that a change must save to be worth making."""
LARGE_FIELD = 0.1
"""Share of the bytes that a change of the message must save to be named first."""
MOST = 0.5
"""Share of the bytes of the field that is named."""
MOST_LEFT_OUT = 2
"""Reasons for which messages were left out, of those that are printed first."""
DOUBT = "?"
"""Mark of times and factors in doubt."""


def first_answer(
    meta: MessageMeta,
    rows: list[Row],
    doubted: Mapping[Key, Doubt],
    ends: Mapping[Key, tuple[float, float]],
) -> Answer | None:
    """Return the first answer; None where no contender was measured whole."""
    totals = [row for row in rows if row.stage == "total"]
    if not totals:
        return None
    bases = {row.lang: row for row in totals if row.ratio and row.ratio.to == row.name}
    with_ratio = [row for row in totals if row.ratio is not None]
    faster = [row for row, *_ in quicker(meta, with_ratio, doubted, ends)]
    steps = _steps(meta, faster, bases, doubted)
    at_rate, said = _rate(meta)
    answer, hints, stands = _cost(meta, totals, bases, doubted), [], False
    if at_rate is not None:
        whole = loads(at_rate, rows)
        rated = _Rated(meta, at_rate, bases, whole)
        most, saved = rated.savings(faster, doubted)
        answer = f"{said} {rated.cost(totals, doubted)}: {rated.verdict(most)}{saved}"
        if most < WORTH:
            steps, hints = [], _hints(meta, faster, steps, bases)
            stands = rated.stands(doubted)
    answer += _mostly(meta) + _left_out(meta)
    # Who gave a recording knows it; synthetic messages may be of other lengths than real ones.
    if meta.is_synthetic:
        answer += f" {meta.content.partition(': every field')[0]}."
    table = _table(meta, totals, bases, doubted, stands)
    return Answer(answer, table, steps, hints, least_rows=len(table.rows))


def _left_out(meta: MessageMeta) -> str:
    """Say which messages of the recording were not measured, as those of another type."""
    parts = [part for part in meta.content.split("; ") if "left out" in part]
    return "".join(f" {part[:1].upper()}{part[1:]}." for part in parts[:MOST_LEFT_OUT])


def _cost(
    meta: MessageMeta, totals: list[Row], bases: Mapping[str, Row], doubted: Mapping[Key, Doubt]
) -> str:
    """Say what a message takes where nothing says how often it comes."""
    said_of = _spoken_of(totals, bases)
    times = [
        (row, f"{_about(row, doubted)}{units.time(row.median_ns)}", "") for row in said_of.values()
    ]
    costs = _joined(times, bases)
    size = units.size(next(iter(said_of.values())).bytes)
    return (
        f"One {meta.type} of {size} takes {costs}. With --rate HZ, the answer is the share of one "
        "CPU core."
    )


def _joined(costs: list[tuple[Row, str, str]], bases: Mapping[str, Row]) -> str:
    """Join what rows cost; each has the cost and how it is divided. Name their library once."""
    names = {row.name if row.lang in bases else "" for row, *_ in costs}
    if len(names) > 1 or "" in names:
        return ", ".join(
            f"{cost} in {_language(row.lang)} ({_named(row, bases)}{divided and f': {divided}'})"
            for row, cost, divided in costs
        )
    parts = ", ".join(
        f"{cost} in {_language(row.lang)}{divided and f' ({divided})'}"
        for row, cost, divided in costs
    )
    return f"{parts}, {('', 'both ', 'all ')[min(len(costs), 3) - 1]}with {names.pop()}"


def _spoken_of(totals: list[Row], bases: Mapping[str, Row]) -> dict[str, Row]:
    """Return the baseline of each language; where there is none, the quickest."""
    quickest = {row.lang: row for row in sorted(totals, key=lambda row: -row.median_ns)}
    return {lang: bases.get(lang, quickest[lang]) for lang in LANGUAGES if lang in quickest}


def _named(row: Row, bases: Mapping[str, Row]) -> str:
    return row.name if row.lang in bases else f"{row.name}; the library in use was not measured"


def _language(lang: str) -> str:
    return LANGUAGES.get(lang, lang)


def _rate(meta: MessageMeta) -> tuple[AtRate | None, str]:
    """Return at which rate messages come, and whose rate it is."""
    if meta.at_rate is not None:
        return meta.at_rate, _asked(meta.at_rate)
    if meta.recorded_hz is not None:
        at_rate = AtRate(rate=meta.recorded_hz, subscribers=1)
        return at_rate, f"At the recording's {units.significant(meta.recorded_hz)} Hz"
    return None, ""


def _asked(asked: AtRate) -> str:
    """Name the rate that was asked for, what carries the messages, and to whom."""
    said = f"At {units.significant(asked.rate)} Hz"
    if asked.carrying is not None:
        said += f", over {asked.carrying.over}"
    if asked.subscribers > 1:
        said += f", to {asked.subscribers} subscribers"
    return f"{said}," if "," in said else said


@dataclass(frozen=True)
class _Rated:
    """Costs and savings at a rate, in shares of a core."""

    meta: MessageMeta
    asked: AtRate
    bases: Mapping[str, Row]
    loads: Mapping[Key, Load]

    def share(self, row: Row) -> float:
        return self.loads[row.lang, row.name].share

    def cost(self, totals: list[Row], doubted: Mapping[Key, Doubt]) -> str:
        """Say what messages take with the library in use, or else with the quickest."""
        said_of = _spoken_of(totals, self.bases)
        costs = [
            (
                row,
                f"{_about(row, doubted)}{share_of_core(self.share(row))}"
                + ("" if number else " of a core"),
                self._sides(row),
            )
            for number, row in enumerate(said_of.values())
        ]
        text = _joined(costs, self.bases)
        size = next(iter(said_of.values())).bytes
        second = units.size(round(size * self.asked.rate))
        return f"one {self.meta.type} of {units.size(size)} ({second}/s) takes {text}"

    def _sides(self, row: Row) -> str:
        """Divide the cost between both sides, for who gave a rate: he knows his side."""
        if self.meta.at_rate is None or self.asked.carrying is not None:
            return ""
        load = self.loads[row.lang, row.name]
        sender, each = (
            share_of_core(ns * self.asked.rate / SECOND)
            for ns in (load.sender_ns, load.subscriber_ns)
        )
        return f"sender {sender}, each subscriber {each}"

    def savings(self, faster: list[Row], doubted: Mapping[Key, Doubt]) -> tuple[float, str]:
        """Return the most that a change saves, and what is saved where, same bytes first."""
        same: dict[str, tuple[float, str]] = {}
        other: dict[str, tuple[float, str]] = {}
        for row in faster:
            base = self.bases.get(row.lang)
            saved = self.share(base) - self.share(row) if base else 0.0
            if base is None or saved <= 0:
                continue
            is_same = wire_of(self.meta, row) == wire_of(self.meta, base)
            by = row.contender if is_same else wire_of(self.meta, row)
            text = f"{_about(row, doubted)}{share_of_core(saved)} in {_language(row.lang)} ({by})"
            best = same if is_same else other
            best[row.lang] = max(best.get(row.lang, (0.0, "")), (saved, text))
        other = {
            lang: saving for lang, saving in other.items() if saving > same.get(lang, (0.0, ""))
        }
        most = max((saved for saved, _ in (*same.values(), *other.values())), default=0.0)
        return most, self._saved(same, other)

    def _saved(
        self, same: Mapping[str, tuple[float, str]], other: Mapping[str, tuple[float, str]]
    ) -> str:
        if not same and not other:
            return ""
        nothing = {lang: (0.0, f"nothing in {_language(lang)}") for lang in self.bases}
        said = f" Without changing the bytes you would save {_listed(nothing | dict(same))}"
        return f"{said}; if all peers change, {_listed(other)}." if other else f"{said}."

    def verdict(self, most: float) -> str:
        """Say whether a change is worth it."""
        if most >= WORTH:
            return "a change pays."
        if not self.bases and max(load.share for load in self.loads.values()) >= WORTH:
            return "what a change saves is unknown."
        return "nothing is worth changing."

    def stands(self, doubted: Mapping[Key, Doubt]) -> bool:
        """Say whether nothing were worth changing if times in doubt were twice as long."""
        unsure = {lang for lang, _ in doubted}
        return all(
            2 * self.share(row) < WORTH for lang, row in self.bases.items() if lang in unsure
        )


def _listed(savings: Mapping[str, tuple[float, str]]) -> str:
    return ", ".join(text for _, text in savings.values())


def _hints(
    meta: MessageMeta, faster: list[Row], steps: list[str], bases: Mapping[str, Row]
) -> list[str]:
    """Return what to do first although it is not worth it, and how to get code for its bytes."""
    hints = [f"This is possible but not worth the effort: {step}" for step in steps[:1]]
    wires = {lang: wire_of(meta, row) for lang, row in bases.items()}
    ours = [
        row
        for row in faster
        if row.contender in COMPILED and wire_of(meta, row) == wires.get(row.lang)
    ][:1]
    if ours and schema_given(meta) and not any("wirecost compile" in hint for hint in hints):
        hints.append(
            f"To generate the code of {ours[0].name}:\n{uses(meta, ours)[ours[0].contender]}"
        )
    return hints


def _about(row: Row, doubted: Mapping[Key, Doubt]) -> str:
    return "about " if is_in_doubt(row, doubted) else ""


def _mostly(meta: MessageMeta) -> str:
    """Name the innermost field that most of the bytes are in; empty where there is none."""
    paths = [part.path for part in meta.fields if part.all >= MOST * meta.counted_bytes]
    if not paths:
        return ""
    innermost = max(paths, key=lambda path: path.count("."))
    (share,) = (part.all for part in meta.fields if part.path == innermost)
    return f" {share / meta.counted_bytes:.0%} of its bytes are in `{innermost}`.".replace(
        "%", " %"
    )


@dataclass(frozen=True)
class _Library:
    """Library on its wire, with its best row in each language."""

    name: str
    is_same_wire: bool
    best: dict[str, Row]
    doubted: Mapping[Key, Doubt]

    def time(self, lang: str) -> str:
        row = self.best.get(lang)
        if row is None:
            return units.NONE
        is_unsure = (lang, row.name) in self.doubted and is_in_doubt(row, self.doubted)
        return units.time(row.median_ns) + DOUBT * is_unsure

    def mode(self, lang: str) -> str:
        row = self.best.get(lang)
        return row.mode if row else ""

    def ratio(self, lang: str) -> str:
        row = self.best.get(lang)
        if row is None or row.ratio is None:
            return ""
        is_unsure = row.ratio.to != row.name and is_in_doubt(row, self.doubted)
        return units.significant(row.ratio.median) + DOUBT * is_unsure


def _table(
    meta: MessageMeta,
    totals: list[Row],
    bases: Mapping[str, Row],
    doubted: Mapping[Key, Doubt],
    stands: bool,
) -> Table:
    """Return a row for each library in its best mode, the fastest first.

    ``stands``: times in doubt cannot change the verdict.
    """
    wires = {wire_of(meta, row) for row in bases.values()}
    libraries: dict[str, _Library] = {}
    for row in sorted(totals, key=lambda row: row.median_ns):
        is_base = bases.get(row.lang) is row
        name = f"{row.contender} now" if is_base else row.contender
        library = libraries.setdefault(
            name, _Library(name, wire_of(meta, row) in wires, {}, doubted)
        )
        library.best.setdefault(row.lang, row)
    ordered = sorted(
        libraries.values(),
        key=lambda library: min(map(_ratio, library.best.values())),
    )
    langs = [lang for lang in LANGUAGES if any(lang in library.best for library in ordered)]
    columns: list[Column[_Library]] = [
        Column("library", lambda library: library.name),
        Column("wire", lambda library: "same" if library.is_same_wire else "other", optional=1),
    ]
    for lang in langs:
        columns += _columns(lang)
    notes = ["Medians of the best modes; ×: time compared with `now`, an assumed baseline."]
    if doubted:
        but = (
            "even if they were twice as long, nothing would be worth changing"
            if stands
            else ("repeat the run on an idle machine")
        )
        notes.insert(0, f"{DOUBT}: uncertain, because times vary; {but}.")
    if COLUMNS in libraries:
        in_place = any(row.mode == "view" for row in libraries[COLUMNS].best.values())
        how = (
            "lists are filled and read in place, without a decoding step"
            if in_place
            else ("includes conversion from and to rows")
        )
        arrays = [_language(lang) for lang in FROM_ARRAYS if lang in libraries[COLUMNS].best]
        how += f", in {' and '.join(arrays)} from arrays" if arrays else ""
        notes.append(f"{COLUMNS}: {how}.")
    return Table.of("Time per message", ordered, columns, notes)


def _columns(lang: str) -> list[Column[_Library]]:
    title = _language(lang)
    return [
        Column(title, lambda library: library.time(lang)),
        Column(f"{title} mode", lambda library: library.mode(lang), optional=2),
        Column(f"× {title}", lambda library: library.ratio(lang)),
    ]


def _steps(
    meta: MessageMeta, faster: list[Row], bases: Mapping[str, Row], doubted: Mapping[Key, Doubt]
) -> list[str]:
    """Return at most three things to do.

    Those with the same bytes come first, what saves most on top: another library, another mode of
    the one in use, both in each language. Then another wire, another message.
    """
    best: dict[tuple[int, str], Row] = {}
    for row in faster:
        base = bases.get(row.lang)
        if base is not None:
            is_same = wire_of(meta, row) == wire_of(meta, base)
            effort = (row.contender != base.contender) if is_same else 2
            best.setdefault((effort, row.lang if is_same else ""), row)
    ordered = sorted(best.items(), key=lambda item: (item[0][0] == 2, _ratio(item[1])))
    texts = [_step(meta, row, effort == 2, doubted) for (effort, _), row in ordered]
    large = [
        change for change in meta.changes if change.bytes <= (1 - LARGE_FIELD) * meta.counted_bytes
    ]
    for change in large[:1]:
        texts.append(f"{change.what}: {units.size(round(change.bytes))} remain ({change.how}).")
    return texts[:3]


def _ratio(row: Row) -> float:
    return row.ratio.median if row.ratio else 1.0


def _step(meta: MessageMeta, row: Row, is_other: bool, doubted: Mapping[Key, Doubt]) -> str:
    """Say who changes to what, the gain, and how."""
    assert row.ratio is not None
    whom = ALL_PEERS if is_other else SAME
    gain = FASTER if is_in_doubt(row, doubted) else units.speed(row.ratio.median)
    what = row.name
    if row.mode == "reused" and row.contender == row.ratio.to.partition(" ")[0]:
        what = f"reuse one {row.contender} object"
    how = "".join(uses(meta, [row]).values())
    text = f"{_language(row.lang)}: {what} ({whom}), {gain}"
    if how.startswith("`"):
        return f"{text}:\n{how}"
    return f"{text}; {how}." if how else f"{text}."
