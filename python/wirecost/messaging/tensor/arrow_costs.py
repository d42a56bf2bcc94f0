# SPDX-License-Identifier: Apache-2.0
"""Costs of an Arrow array in another framework, counted before it is made.

In Arrow a value may take no memory, or stand for many: nulls, runs, dictionaries and views of one
text. Where a framework has other forms for them, 200 columns of nulls may become 100 GB.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.arrow_arrays import entries
from wirecost.messaging.tensor.arrow_types import family, is_wide, may_grow, stands_for_many
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load


class Cost(NamedTuple):
    """Bytes and nanoseconds."""

    nbytes: float
    nanoseconds: float

    def of(self, elements: float) -> Cost:
        return Cost(self.nbytes * elements, self.nanoseconds * elements)

    def __add__(self, other: Any) -> Cost:
        return Cost(self.nbytes + other.nbytes, self.nanoseconds + other.nanoseconds)


class Rates(NamedTuple):
    """Rates of a framework: what an element takes beside what is in it, by family."""

    elements: dict[str, Cost]
    field: Cost
    """Cost per struct."""
    nullable: Cost
    """A number where some are null."""
    copied_texts: bool
    codes_of_all: bool
    """True: a column remains a dictionary of whatever type; else of texts and binaries only."""


_FREE = Cost(0, 0)
_TEXTS = frozenset({"text", "text view", "binary", "binary view", "fixed binary"})
_LISTS = frozenset({"list", "fixed list", "map"})
_PANDAS = Rates(
    elements={
        "null": Cost(8, 3),
        "number": Cost(1, 0),
        "date": Cost(40, 60),
        "time": Cost(56, 100),
        "decimal": Cost(176, 400),
        "text": Cost(8, 5),
        "text view": Cost(8, 5),
        "binary": Cost(48, 60),
        "binary view": Cost(48, 60),
        "fixed binary": Cost(48, 60),
        "list": Cost(128, 350),
        "fixed list": Cost(128, 350),
        "list view": Cost(128, 350),
        "map": Cost(128, 350),
        "struct": Cost(200, 300),
        "dictionary": Cost(8, 5),
    },
    field=Cost(40, 120),
    nullable=Cost(8, 5),
    copied_texts=True,
    codes_of_all=True,
)
_TEXT_OBJECT = Cost(64, 80)
_PANDAS_WITH_OBJECTS = _PANDAS._replace(
    elements=_PANDAS.elements | {"text": _TEXT_OBJECT, "text view": _TEXT_OBJECT}
)
"""Before pandas 3 a text was an object of Python's."""
_POLARS = Rates(
    elements={
        "number": Cost(1, 0),
        "date": Cost(8, 1),
        "time": Cost(8, 1),
        "decimal": Cost(16, 5),
        "text": Cost(16, 5),
        "text view": Cost(16, 5),
        "binary": Cost(16, 5),
        "binary view": Cost(16, 5),
        "fixed binary": Cost(16, 5),
        "list": Cost(8, 2),
        "fixed list": Cost(8, 2),
        "list view": Cost(8, 2),
        "map": Cost(8, 2),
        "dictionary": Cost(8, 5),
    },
    field=_FREE,
    nullable=Cost(1, 0),
    copied_texts=False,
    codes_of_all=False,
)
_REMEDY = 'decode with as_="pyarrow" and convert what you need'


def afford(columns: Iterable[Any], wanted: str, budget: Budget, described: bool = False) -> None:
    """Take from the budget what valid arrays cost as columns of ``wanted``: pandas or polars.

    ``described``: pandas' own metadata is there, which may ask for any type of pandas'. Raises
    FrameError where that would take too much.
    """
    rates = _POLARS if wanted == "polars" else _pandas_rates(described)
    cost = _FREE
    for column in columns:
        if wanted == "polars" and not may_grow(column.type):
            continue
        for chunk in getattr(column, "chunks", [column]):
            cost += _total(chunk, rates, True)
    budget.take(f"its table in {wanted}", *cost, remedy=_REMEDY)


def afford_column(column: Any, objects: bool, budget: Budget) -> None:
    """Take the same from the budget for a chunked array of a data frame.

    ``objects``: its elements become Python's.
    """
    rates = _PANDAS_WITH_OBJECTS if objects else _PANDAS
    chunks = [_total(chunk, rates) for chunk in column.chunks]
    budget.take("a column of pandas", *sum(chunks, _FREE))


def _pandas_rates(described: bool) -> Rates:
    old = int(load("pandas").__version__.partition(".")[0]) < 3
    return _PANDAS_WITH_OBJECTS if old or described else _PANDAS


def _total(  # noqa: PLR0911  one a family
    array: Any, rates: Rates, outermost: bool = False
) -> Cost:
    """Return the cost of all elements of an array."""
    kind, count = array.type, len(array)
    of = family(kind)
    rate = rates.elements.get(of, _FREE)
    if of == "number":
        if array.null_count:
            return rates.nullable.of(count)
        return Cost(rate.nbytes * max(kind.bit_width // 8, 1) * count, 0)
    if of == "extension":
        return _total(array.storage, rates, outermost)
    if of == "dictionary" and outermost and _keeps_codes(kind.value_type, rates):
        return rate.of(count) + _total(array.dictionary, rates)
    if stands_for_many(of):
        return _largest(array, rates).of(count)
    if of == "struct":
        fields = [array.field(index) for index in range(kind.num_fields)]
        own = rate + rates.field.of(len(fields))
        return sum((_total(field, rates) for field in fields), own.of(count))
    if of in _LISTS:
        items, first, last = _items(array, of)
        return rate.of(count) + _total(items.slice(first, last - first), rates)
    texts = 0.0
    if of in _TEXTS and rates.copied_texts:
        lengths = _lengths(array, of)
        texts = lengths.sum(dtype=float) * (count / max(len(lengths), 1))
    return rate.of(count) + Cost(texts, 0)


def _largest(array: Any, rates: Rates) -> Cost:  # noqa: PLR0911  one a family
    """Return the element that takes most; at least what one takes that is null."""
    kind = array.type
    of = family(kind)
    rate = rates.elements.get("null", _FREE) + rates.elements.get(of, _FREE)
    if of == "number":
        return Cost(max(kind.bit_width // 8, 8), 0)
    if of == "extension":
        return _largest(array.storage, rates)
    if of == "dictionary":
        return rate + _largest(array.dictionary, rates)
    if of == "runs":
        return rate + _largest(array.values, rates)
    if of in {"struct", "union"}:
        fields = [_largest(array.field(index), rates) for index in range(kind.num_fields)]
        return sum(fields, rate + rates.field.of(len(fields)))
    if of in _LISTS or of == "list view":
        items, _, _ = _items(array, of)
        return rate + _largest(items, rates).of(float(_lengths(array, of).max(initial=0)))
    # Polars shares a text's memory, but not that of what has one size.
    if of in _TEXTS and (rates.copied_texts or of == "fixed binary"):
        return rate + Cost(float(_lengths(array, of).max(initial=0)), 0)
    return rate


def _keeps_codes(kind: Any, rates: Rates) -> bool:
    return rates.codes_of_all or family(kind) in _TEXTS


def _items(array: Any, of: str) -> tuple[Any, int, int]:
    """Return what is in lists, from where to where."""
    if of == "fixed list":
        size = array.type.list_size
        return array.values, array.offset * size, (array.offset + len(array)) * size
    if of == "list view":
        return array.values, 0, len(array.values)
    offsets = _offsets(array)
    return entries(array) if of == "map" else array.values, int(offsets[0]), int(offsets[-1])


def _lengths(array: Any, of: str) -> npt.NDArray[Any]:
    """Return the lengths of lists, texts and binaries; a single one where all are the same."""
    if of == "fixed list":
        return np.array([array.type.list_size])
    if of == "fixed binary":
        return np.array([array.type.byte_width])
    if of in {"text view", "binary view"}:
        views = np.frombuffer(array.buffers()[1], "<i4")[::4]
        return views[array.offset : array.offset + len(array)]
    if of == "list view":
        sizes = np.frombuffer(array.buffers()[2], "<i8" if is_wide(array.type) else "<i4")
        return sizes[array.offset : array.offset + len(array)]
    return np.diff(_offsets(array))


def _offsets(array: Any) -> npt.NDArray[Any]:
    memory, kind = array.buffers()[1], np.dtype("<i8" if is_wide(array.type) else "<i4")
    if memory is None or memory.size < kind.itemsize:
        return np.zeros(1, kind)
    offsets: npt.NDArray[Any] = np.frombuffer(memory, kind, memory.size // kind.itemsize)
    return offsets[array.offset : array.offset + len(array) + 1]
