# SPDX-License-Identifier: Apache-2.0
"""Tables and JSON of ``wirecost columns advise``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from wirecost.data.advisor.advice import FORMS, RECOMMENDED, ROWS, Advice, ColumnAdvice, ListAdvice
from wirecost.data.advisor.measure import MOST_DISTINCT, Statistics
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.foreign import without_middle

PATH_WIDTH = 26
LIST_WIDTH = 36
MOST_LISTS = 14


def tables(advice: Advice) -> Iterator[tuple[ListAdvice, Table, Table]]:
    """Yield each list with two tables: its columns, and what it takes in all."""
    for list_advice in advice.lists.values():
        yield list_advice, _columns(list_advice, advice), _totals(list_advice, advice)


def summary(advice: Advice) -> Table:
    """Return what each list takes as rows and in the recommended columns, the largest first."""
    ordered = sorted(advice.lists.values(), key=lambda list_advice: -list_advice.totals[ROWS].bytes)
    body = [
        [
            without_middle(", ".join(list_advice.paths), LIST_WIDTH),
            units.size(round(list_advice.totals[ROWS].bytes / advice.sampled)),
            units.size(round(list_advice.totals["exact"].bytes / advice.sampled)),
            units.size(round(list_advice.totals[RECOMMENDED].bytes / advice.sampled)),
            _percent(list_advice.totals[RECOMMENDED].bytes / list_advice.totals[ROWS].bytes),
        ]
        for list_advice in ordered[:MOST_LISTS]
    ]
    headings = ["list", "rows", "exact columns", "as chosen", "of rows"]
    return Table(f"Bytes of a frame, {_frames(advice)}", headings, body, [])


def _columns(list_advice: ListAdvice, advice: Advice) -> Table:
    headings = [
        "field", "type", "present", "distinct", "range", "exact", "auto", "float32", "float32 ±",
        "scaled", "allowed ±", "scaled ±", "B/frame", "choose",
    ]  # fmt: skip
    body = [
        [
            without_middle(path, PATH_WIDTH),
            column.type,
            _share(column.statistics),
            _distinct(column.statistics),
            _range(column.statistics),
            *(_each(column, form, list_advice.elements) for form in FORMS[:3]),
            _off(column, "float32"),
            _each(column, "error", list_advice.elements),
            _allowed(column),
            _off(column, "error"),
            f"{column.recommended.bytes / advice.sampled:,.0f}",
            "scaled" if column.form == "error" else column.form,
        ]
        for path, column in list_advice.columns.items()
    ]
    notes = ["exact, auto, float32, scaled: bytes per element. ±: largest measured error."]
    optional = ("distinct", "float32 ±", "range", "type", "B/frame", "present", "float32")
    return Table(_title(list_advice, advice), headings, body, notes, optional)


def _title(list_advice: ListAdvice, advice: Advice) -> str:
    paths = ", ".join(f"{path} ({count:,})" for path, count in list_advice.paths.items())
    return f"{list_advice.message} · {paths} in {_frames(advice)}"


def _frames(advice: Advice) -> str:
    if advice.sampled == advice.frames:
        return f"all {advice.frames:,} frames" if advice.frames > 1 else "1 frame"
    return f"{advice.sampled:,} of {counted(advice.frames, 'frame')}, spread evenly"


def _totals(list_advice: ListAdvice, advice: Advice) -> Table:
    rows = list_advice.totals[ROWS]
    names = {ROWS: "rows", "exact": "exact columns", RECOMMENDED: "as chosen"}
    body = []
    for form, name in names.items():
        total = list_advice.totals[form]
        body.append(
            [
                name,
                units.size(round(total.bytes / advice.sampled)),
                units.significant(total.bytes / list_advice.elements),
                _percent(total.bytes / rows.bytes),
                units.size(round(total.zstd / advice.sampled)),
                _percent(total.zstd / rows.bytes),
                _percent(total.zstd / rows.zstd),
            ]
        )
    headings = [
        "stored as", "a frame", "B/element", "of rows", "zstd", "of rows", "of rows, zstd",
    ]  # fmt: skip
    notes = [f"Each list is compressed by itself, with zstd level {advice.zstd_level}."]
    if not list_advice.saves:
        notes.append(
            "Rows are smaller: with so few elements, columns give you arrays but save no bytes."
        )
    return Table("In all", headings, body, notes)


def _each(column: ColumnAdvice, form: str, elements: int) -> str:
    cost = column.costs.get(form)
    if cost is None:
        return "–"
    each = cost.bytes / elements
    return units.significant(each) if each >= 0.01 or not each else "< 0.01"


def _off(column: ColumnAdvice, form: str) -> str:
    return _error(column.costs[form].largest_error) if form in column.costs else "–"


def _allowed(column: ColumnAdvice) -> str:
    if column.allowed is None:
        return "–"
    return f"{_error(column.allowed.error)} {column.allowed.unit}".rstrip()


def _error(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _share(statistics: Statistics) -> str:
    return _percent(statistics.present / statistics.elements) if statistics.elements else "–"


def _distinct(statistics: Statistics) -> str:
    count = f"{statistics.distinct:,}"
    return f"≥ {count}" if statistics.distinct == MOST_DISTINCT else count


def _range(statistics: Statistics) -> str:
    if statistics.least is None or statistics.greatest is None:
        return "–"
    return f"{statistics.least:.4g} … {statistics.greatest:.4g}"


def _percent(share: float) -> str:
    return f"{units.significant(100 * share)} %"


def document(path: Path, advice: Advice) -> dict[str, object]:
    """Return all numbers; sizes in bytes, over all sampled frames."""
    return {
        "file": str(path),
        "frames": advice.frames,
        "sampled": advice.sampled,
        "zstd_level": advice.zstd_level,
        "lists": [_list(list_advice) for list_advice in advice.lists.values()],
    }


def _list(list_advice: ListAdvice) -> dict[str, object]:
    return {
        "message": list_advice.message,
        "paths": list_advice.paths,
        "elements": list_advice.elements,
        "columns": [
            {
                "field": path,
                "type": column.type,
                "elements": column.statistics.elements,
                "present": column.statistics.present,
                "distinct": column.statistics.distinct,
                "distinct_is_least": column.statistics.distinct == MOST_DISTINCT,
                "least": column.statistics.least,
                "greatest": column.statistics.greatest,
                "allowed": asdict(column.allowed) if column.allowed else None,
                "forms": {form: asdict(cost) for form, cost in column.costs.items()},
                "reduce": column.reduction,
            }
            for path, column in list_advice.columns.items()
        ],
        "totals": {form: asdict(total) for form, total in list_advice.totals.items()},
        "to_compile": list_advice.to_compile(),
        "to_convert": list_advice.to_convert(),
    }
