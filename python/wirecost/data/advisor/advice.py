# SPDX-License-Identifier: Apache-2.0
"""Every column in every form, measured on real lists, and the form to take.

Two passes over the frames: the first finds the form of each column, the second measures lists in
those. What is kept between frames does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import zstandard

from wirecost.data.advisor.errors import Allowed, Errors
from wirecost.data.advisor.measure import Statistics, largest_error, measured
from wirecost.data.advisor.sources import ListSource, SampledList

COLUMNS_FIELD_HEAD = 10
"""Bytes of tag and length before a list's columns."""
FORMS = ("exact", "auto", "float32", "error")
ROWS, RECOMMENDED = "rows", "recommended"

Progress = Callable[[int, int, str], None]


@dataclass
class FormCost:
    """A column in one form, over all lists; the error is the largest that was measured."""

    bytes: int = 0
    largest_error: float = 0.0


@dataclass
class ColumnAdvice:
    """A field of a list's elements; a form is missing where the field cannot take it."""

    path: str
    type: str
    allowed: Allowed | None
    statistics: Statistics = field(default_factory=Statistics)
    costs: dict[str, FormCost] = field(default_factory=dict)

    @property
    def form(self) -> str:
        """The smallest form; among equals, the one that changes the values least.

        float32 only where it is asked for: its error grows with the values.
        """
        forms = [form for form in FORMS if form in self.costs and form != "float32"]
        return min(forms, key=lambda form: self.costs[form].bytes)

    @property
    def reduction(self) -> str:
        """The form as ``--reduce`` takes it."""
        if self.form == "error" and self.allowed is not None:
            return f"error:{self.allowed.error!r}"
        return self.form

    @property
    def recommended(self) -> FormCost:
        return self.costs[self.form]


@dataclass
class Total:
    bytes: int = 0
    zstd: int = 0
    """Each list compressed by itself."""


@dataclass
class ListAdvice:
    """All lists of one message type: as far as ``--reduce`` can distinguish them."""

    message: str
    paths: dict[str, int] = field(default_factory=dict)
    """Elements by path."""
    elements: int = 0
    fields: dict[str, ColumnAdvice] = field(default_factory=dict)
    """All fields, by dotted path."""
    totals: dict[str, Total] = field(default_factory=dict)
    """Bytes as rows, as exact columns and as recommended, with columns' head in a message."""

    @property
    def columns(self) -> dict[str, ColumnAdvice]:
        """The columns that some element has; the others take no bytes."""
        return {path: column for path, column in self.fields.items() if column.costs["exact"].bytes}

    @property
    def reductions(self) -> dict[str, str]:
        return {path: column.reduction for path, column in self.columns.items()}

    @property
    def saves(self) -> bool:
        """True where the columns are smaller than the rows.

        Columns of a few elements often are not, because columns are aligned.
        """
        return self.totals[RECOMMENDED].bytes < self.totals[ROWS].bytes

    def to_compile(self) -> list[str]:
        """Return options of ``wirecost compile``, with ``--reduce`` for columns not exact."""
        return [f"--columns {self.message}", *self._reduced()]

    def to_convert(self) -> list[str]:
        """Return options of ``wirecost trace convert``, which takes paths."""
        return [f"--columns {','.join(self.paths)}", *self._reduced()]

    def _reduced(self) -> list[str]:
        return [
            f"--reduce {self.message}.{path}={how}"
            for path, how in self.reductions.items()
            if how != "exact"
        ]


@dataclass
class Advice:
    frames: int
    sampled: int
    zstd_level: int
    lists: dict[str, ListAdvice] = field(default_factory=dict)


def advise(source: ListSource, errors: Errors, zstd_level: int, progress: Progress) -> Advice:
    """Measure all forms of every list.

    Raises UserError on damaged input and on errors for fields that no list has.
    """
    advice = Advice(source.total, source.sampled, zstd_level)
    compressor = zstandard.ZstdCompressor(level=zstd_level)

    def count(total: Total, content: bytes, head: int) -> None:
        total.bytes += len(content) + head
        total.zstd += len(compressor.compress(content)) + head

    def lists(first: int, text: str) -> Any:
        for done, frame_lists in enumerate(source):
            progress(first + done, 2 * source.sampled, text)
            yield from frame_lists

    for repeated in lists(0, "trying all forms"):
        about = advice.lists.setdefault(repeated.message, ListAdvice(repeated.message))
        exact = _add(about, repeated, errors)
        count(about.totals.setdefault(ROWS, Total()), repeated.rows, 0)
        count(about.totals.setdefault("exact", Total()), exact, COLUMNS_FIELD_HEAD)
    errors.check()
    for repeated in lists(source.sampled, "measuring what is recommended"):
        about = advice.lists[repeated.message]
        content = repeated.arrays.prepare(about.reductions).to_bytes()
        count(about.totals.setdefault(RECOMMENDED, Total()), content, COLUMNS_FIELD_HEAD)
    return advice


def _add(about: ListAdvice, repeated: SampledList, errors: Errors) -> bytes:
    """Measure a list in all forms; returns its exact columns."""
    kind = repeated.arrays.kind
    content = repeated.arrays.prepare("exact").to_bytes()
    sizes, exact = measured(kind, content)
    about.elements += repeated.arrays.count
    about.paths[repeated.path] = about.paths.get(repeated.path, 0) + repeated.arrays.count
    for path, column in exact.items():
        if path not in about.fields:
            limit = errors.of(about.message, path) if _is_real(column) else None
            about.fields[path] = ColumnAdvice(path, _type(column), limit)
        about.fields[path].statistics.add(column)
    allowed = {
        path: f"error:{field.allowed.error!r}"
        for path, field in about.fields.items()
        if field.allowed is not None
    }
    _measure(about, "exact", sizes, exact, exact)
    for form, reductions in (("auto", "auto"), ("float32", "float32"), ("error", allowed)):
        if reductions:
            reduced = repeated.arrays.prepare(reductions).to_bytes()
            _measure(about, form, *measured(kind, reduced), exact)
    return content


def _measure(
    about: ListAdvice, form: str, sizes: dict[str, int], columns: Mapping[str, Any], exact: Any
) -> None:
    for path, advice in about.fields.items():
        column = columns[path]
        if form == "float32" and column.node.kind != "float64":
            continue
        if form == "error" and advice.allowed is None:
            continue
        cost = advice.costs.setdefault(form, FormCost())
        cost.bytes += sizes.get(path, 0)
        cost.largest_error = max(cost.largest_error, largest_error(column, exact[path]))


def _is_real(column: Any) -> bool:
    return column.node.kind in ("float32", "float64")


def _type(column: Any) -> str:
    kind = column.node.children[0].kind if column.node.wraps else column.node.kind
    return f"{kind}[]" if column.node.repeated else str(kind)
