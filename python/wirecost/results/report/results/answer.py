# SPDX-License-Identifier: Apache-2.0
"""The answer of a result folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wirecost.results.analysis.summary import Row, document
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.common import Entry, Meta
from wirecost.results.report.results.caution import caution, not_measured
from wirecost.results.report.scenarios import ScenarioContent, content_of, figures_of
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import BAD, NO_TABLE, Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:  # it takes long to import
    from wirecost.results.report.shared.figure import Figure

LOAD = "load"
"""The check that comes first: what else ran matters more than how the machine is set up."""
NO_ANSWER = "There are too few repetitions for a verdict; this is what was measured."
INTERRUPTED = "The run was interrupted; what follows holds the steps measured until then."
MOST_ROWS = 800
"""Rows of the details; a page with more is slow to open, and other formats have all."""
LEAST = 30
"""Characters before a colon that say something without what follows."""
LAST = 1
"""Lines that follow the first screen: where the page is."""
WIDTH = 80


def results_answer(
    results: Results, rows: list[Row], figures: Sequence[Figure] | None = None
) -> Answer:
    """Return the answer of a result folder. ``figures``: those that are drawn already."""
    content = content_of(results, rows)
    tables = [*content.tables, *content.folded, *content.details, NO_TABLE]
    first = content.first or Answer(content.lead or "", tables[0])
    folder = shell_line(results.folder)

    def drawn(_on_paper: bool) -> list[Figure]:
        every = figures_of(results, rows) if figures is None else figures
        return [
            replace(figure, group="More figures") if number else figure
            for number, figure in enumerate(every)
        ]

    return replace(
        first,
        sentence=first.sentence or NO_ANSWER,
        table=replace(first.table, notes=_short_notes(first.table)),
        doubts=_doubts(results.meta),
        more=f"To print all tables: wirecost report {folder} --tables",
        sections=_sections(results, content, first.sentence),
        heading=content.title,
        about=[_origin(results.meta)],
        checked=content.checked,
        figures=drawn,
        document=document(results, rows),
        kept_free=LAST,
    )


def interim_answer(results: Results, rows: list[Row], sentence: str) -> Answer:
    """Return the first table of a run that goes on: its answer may still change.

    ``sentence``: in the place of the run's own.
    """
    whole = results_answer(results, rows)
    return replace(whole, sentence=sentence, steps=[], hints=[], more="")


def named_tables(sections: Sequence[Section], name: str) -> list[Table]:
    """Return the tables that have a name in their title, whatever its case. Raises UserError."""
    tables = [table for section in sections for table in section.tables if table.title]
    named = [table for table in tables if name.casefold() in table.title.casefold()]
    if not named:
        titles = "; ".join(dict.fromkeys(table.title for table in tables))
        raise UserError(f"--tables {name}: no table is called so; there are: {titles}")
    return named


def _sections(results: Results, content: ScenarioContent, sentence: str) -> list[Section]:
    details = _first(content.details)
    left_out = [table.title for table in content.details[len(details) :]]
    failures, doubted = _absences(not_measured(results.meta)), _doubted(results.meta)
    environment = _environment(results.meta)
    sections = []
    if failures:
        sections.append(Section(lines=[f"Not measured: {line}" for line in failures]))
    if content.lead and content.lead != sentence:
        sections.append(Section(lines=[content.lead]))
    built = [content.built] if content.built else []
    sections.append(Section(content.tables, "Results", built))
    sections += [Section([table], table.title, is_folded=True) for table in content.folded]
    sections += [Section([table], table.title, is_folded=True, is_apart=True) for table in details]
    if left_out:
        title = f"{len(left_out)} more tables: wirecost report DIR --format md,csv writes them"
        sections.append(Section(title=title, lines=left_out, is_folded=True, is_apart=True))
    words = Table("", ["what", "value"], [list(entry) for entry in environment], [],
                  texts=("value",))  # fmt: skip
    if doubted:
        sections.append(Section(title="Machine", lines=doubted, is_apart=True))
    title = f"The environment ({len(environment)} entries)"
    return [*sections, Section([words], title, is_folded=True, is_apart=True)]


def _doubts(meta: Meta) -> list[tuple[str, str]]:
    absent = [text.partition(":")[0] for text in not_measured(meta)]
    doubts = [(_absent(absent), "dim")] if absent else []
    if meta.interrupted:
        doubts.append((INTERRUPTED, BAD))
    if warning := caution(meta):
        doubts.append((warning, "bold yellow"))
    return doubts


def _absent(names: list[str]) -> str:
    """Name what was not measured in one line, or else count it."""
    text = f"Not measured: {', '.join(names)}; --tables prints why."
    if len(text) <= WIDTH:
        return text
    return f"{counted(len(names), 'contender')} could not be measured; --tables prints why."


def _absences(lines: list[str]) -> list[str]:
    """Join the names that have the same reason."""
    names: dict[str, dict[str, None]] = {}
    for line in lines:
        name, _, why = line.partition(": ")
        names.setdefault(why, {})[name] = None
    return [f"{', '.join(of)}: {why}" for why, of in names.items()]


def _short_notes(table: Table) -> list[str]:
    """Return notes that are a line each, without what columns mean: the page says it."""
    notes = (_line(note) for note in table.notes if not table.explains(note))
    return [note for note in notes if note]


def _line(note: str) -> str:
    """Return as much of a note as fits a line and says something by itself."""
    if len(note) <= WIDTH:
        return note
    for ends, rest, least in (("; ", ". "), ".", 1), ((": ",), ".", LEAST), ((", ",), ", …", 1):
        length = max(note[: WIDTH - len(rest)].rfind(end) for end in ends)
        if length >= least:
            return note[:length] + rest
    return ""


def _origin(meta: Meta) -> str:
    """Return when, on which processor and by which command a run was measured."""
    cpu = meta.environment.get("cpu", "unknown processor")
    return f"{_minute(meta.created)} · {cpu} · wirecost {' '.join(meta.command)}"


def _first(tables: list[Table]) -> list[Table]:
    """Return as many tables as have ``MOST_ROWS`` in all."""
    first, rows = [], 0
    for table in tables:
        rows += len(table.rows)
        if rows > MOST_ROWS:
            break
        first.append(table)
    return first


def _doubted(meta: Meta) -> list[str]:
    """Return what speaks against the machine: load when the run began, then what weighs most."""
    checks = [(name, str(said)) for name, said in meta.doctor.items() if name != "verdict"]
    checks.sort(key=lambda check: check[0] != LOAD)
    return [
        _doubt(name, said.removeprefix(level).strip(" ()") or level)
        for level in ("fail", "warn")
        for name, said in checks
        if said.startswith(level)
    ]


def _doubt(name: str, said: str) -> str:
    if name == LOAD:
        return f"load {said} when the run started"
    return f"{name.replace('_', ' ')}: {said}"


def _minute(created: str) -> str:
    """Return ``2026-11-22 05:47 UTC``; the folder's text where it is no time."""
    try:
        return f"{datetime.fromisoformat(created).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return created


def _environment(meta: Meta) -> list[tuple[str, str]]:
    rows = []
    for key, value in meta.environment.items():
        if key == "doctor" and meta.doctor:
            rows += [
                (f"check: {name.replace('_', ' ')}", str(said))
                for name, said in meta.doctor.items()
            ]
            continue
        name = key.removesuffix("_bytes").removesuffix("_ns").replace("_", " ")
        rows.append((name, _shown(key, value)))
    libraries = dict.fromkeys(about.library for about in meta.contenders.values())
    rows.append(("libraries", ", ".join(libraries)))
    return rows


def _shown(key: str, value: Entry) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_shown(name, entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(_shown("", entry) for entry in value)
    if value is None or isinstance(value, bool):
        return {None: "n/a", True: "yes", False: "no"}[value]
    if key.endswith("_bytes") and isinstance(value, int):
        return units.size(value)
    if key.endswith("_ns") and isinstance(value, int | float):
        return units.time(value)
    return units.significant(value) if isinstance(value, float) else str(value)
