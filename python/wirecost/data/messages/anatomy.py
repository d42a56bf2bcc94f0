# SPDX-License-Identifier: Apache-2.0
"""Parts of a message that take time: what a codec does once for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from wirecost.data.messages.fields import fields_along, text, walk
from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.data.messages.tally import Path, Tally
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Coding, Field, Kind, Label, MessageRef

WALKED = 1 << 20
"""Bytes of a topic's messages that are walked, a whole message at least."""
CACHED = 256 << 10
"""Bytes of a message that stay in a processor's cache."""

Vector = npt.NDArray[np.float64]


@dataclass
class Anatomy:
    """Parts of a message, on the mean of several."""

    messages: float = 1.0
    nested: float = 0.0
    """Single messages within."""
    elements: float = 0.0
    """Messages in lists."""
    lists: float = 0.0
    """Lists that have elements."""
    empty: float = 0.0
    """Lists that are written without elements."""
    arrays: float = 0.0
    """Lists of a length that the schema fixes, for which no memory is asked."""
    numbers: float = 0.0
    """Single numbers."""
    varints: float = 0.0
    """Those of them that are written in a varying number of bytes."""
    varint_bytes: float = 0.0
    packed: float = 0.0
    """Numbers in lists that are written one by one."""
    packed_bytes: float = 0.0
    block_bytes: float = 0.0
    """Bytes of lists whose elements are copied as they lie."""
    octet_bytes: float = 0.0
    """Bytes of lists of bytes, which every language copies at once."""
    texts: float = 0.0
    long_texts: float = 0.0
    """Those of them that ``std::string`` needs memory for."""
    text_bytes: float = 0.0
    large_bytes: float = 0.0
    """Bytes beyond a cache."""
    fields: float = 0.0
    """Fields of all messages; this and what follows: on sequential wires alone."""
    built: float = 0.0
    """Constructors that run until all fields are set, where each makes its default fields first."""
    built_fields: float = 0.0
    """Fields that these constructors set, of them lists, arrays and texts."""
    built_lists: float = 0.0
    built_arrays: float = 0.0
    array_numbers: float = 0.0
    """Numbers in lists of a fixed length."""
    truths: float = 0.0
    """Elements of lists of bool."""

    def vector(self) -> Vector:
        return np.array(astuple(self), np.float64)

    def times(self, factor: float, size: float) -> Anatomy:
        """Return that of a message that has more of everything; ``size``: its bytes."""
        scaled = [value * factor for value in astuple(self)]
        grown = Anatomy(*scaled)
        grown.messages, grown.large_bytes = 1.0, max(0.0, size - CACHED)
        return grown


PARTS = tuple(field.name for field in fields(Anatomy))
OF_CONSTRUCTORS = PARTS[PARTS.index("fields") :]
"""Parts that take time only where constructors make default fields, as those of rclpy do."""


def anatomy(subject: Subject, messages: Iterable[bytes], mean_bytes: float) -> Anatomy | None:
    """Return the parts of messages, None where none of them is of this type.

    ``mean_bytes``: of all messages, to which those of the sample are scaled.
    """
    tally, count, size = _tallied(subject, messages)
    if not count:
        return None
    parts = _Parts(subject)
    for path in tally.own:
        parts.add(path, tally)
    return parts.of(count, size, mean_bytes)


def parts_by_field(subject: Subject, messages: Iterable[bytes]) -> dict[str, tuple[Anatomy, float]]:
    """Return the parts that each field by itself has in a message, and its bytes."""
    tally, count, _ = _tallied(subject, messages)
    parts_of = {}
    for path in tally.own:
        parts = _Parts(subject)
        parts.add(path, tally)
        size = tally.own[path] / count
        parts_of[text(path)] = (
            replace(parts.of(count, 0, size), messages=0.0, large_bytes=0.0),
            size,
        )
    return parts_of


def _tallied(subject: Subject, messages: Iterable[bytes]) -> tuple[Tally, int, int]:
    """Return the fields of messages, how many of these were of the type, and their bytes."""
    tally, count, size = Tally(), 0, 0
    for data in messages:
        if count and size + len(data) > WALKED:
            break
        own = Tally()
        try:
            walk(subject, data, own)
        except (ValueError, RecursionError):
            continue
        tally.add(own)
        count += 1
        size += len(data)
    return tally, count, size


class _Parts:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._is_sequential = subject.wire in SEQUENTIAL
        self._sum = Anatomy(messages=0.0)

    def of(self, count: int, size: int, mean_bytes: float) -> Anatomy:
        factor = mean_bytes * count / size if size else 1.0
        return self._sum.times(factor / count, mean_bytes)

    def add(self, path: Path, tally: Tally) -> None:
        along = fields_along(self._subject.schema, self._subject.type, text(path))
        own, values, lists = tally.own[path], tally.values[path], tally.lists[path]
        sums = self._sum
        sums.empty += tally.empty[path]
        if not along:  # an entry of a map, or a field that the schema lacks
            sums.texts += values
            sums.text_bytes += own
            return
        field = along[-1]
        kind = field.type
        if self._is_sequential:
            self._add_constructors(along, path, tally)
        if isinstance(kind, MessageRef) or field.label is Label.MAP:
            if field.label in (Label.SINGLE, Label.ARRAY):
                sums.nested += values
            else:
                sums.elements += values
                sums.lists += lists
            return
        if is_octets(field) or (kind is Kind.BYTES and not is_list(field)):
            sums.lists += lists
            sums.octet_bytes += own
        elif isinstance(kind, Kind) and kind.is_text:
            sums.texts += values
            sums.text_bytes += own
            sums.long_texts += tally.long[path]
            sums.lists += lists if is_list(field) else 0
        elif not is_list(field):
            sums.numbers += values
            if not self._is_fixed(field):
                sums.varints += values
                sums.varint_bytes += own
        elif field.label is Label.ARRAY:
            sums.arrays += lists
            sums.block_bytes += own
        elif self._is_block(field):
            sums.lists += lists
            sums.block_bytes += own
        else:
            sums.lists += lists
            sums.packed += values
            sums.packed_bytes += own

    def _add_constructors(self, along: Sequence[Field], path: Path, tally: Tally) -> None:
        """Add what constructors do that make their default fields.

        A message within another is made by the constructor of this, and again with its own values:
        as often as it has messages around it, up to the element of a list.
        """
        field, sums = along[-1], self._sum
        singles = takewhile(lambda outer: outer.label is Label.SINGLE, reversed(along[:-1]))
        constructions = 1 + sum(1 for _ in singles)
        visits = tally.lists[path] + tally.empty[path] if is_list(field) else tally.values[path]
        sums.fields += visits
        sums.built_fields += constructions * visits
        is_number = isinstance(field.type, Kind) and not field.type.is_text
        if isinstance(field.type, MessageRef) and field.label is not Label.ARRAY:
            is_single = field.label is Label.SINGLE
            sums.built += tally.values[path] * (constructions + 1 if is_single else 1)
        elif isinstance(field.type, MessageRef):
            sums.built += tally.values[path] * (constructions + 1)
        elif is_number and field.label is Label.ARRAY:
            sums.built_arrays += constructions * visits
            sums.array_numbers += tally.values[path]
        elif is_list(field):
            sums.built_lists += constructions * visits
            sums.truths += tally.values[path] if field.type is Kind.BOOL else 0

    def _is_block(self, field: Field) -> bool:
        """Return whether all elements of a list are copied at once."""
        return self._is_sequential or (field.packed and self._is_fixed(field))

    def _is_fixed(self, field: Field) -> bool:
        """Return whether each of its numbers has as many bytes as any other."""
        is_float = field.type in (Kind.FLOAT32, Kind.FLOAT64)
        return self._is_sequential or is_float or field.coding is Coding.FIXED
