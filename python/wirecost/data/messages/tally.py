# SPDX-License-Identifier: Apache-2.0
"""What messages consist of, by path: bytes, values, and lists that have some."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

SHORT_TEXT = 15
"""Bytes of a text that ``std::string`` holds without memory of its own."""

Path = tuple[str, ...]
"""Names of fields from the top on, as ``fields.text`` shows them."""


@dataclass
class Tally:
    """Sums over messages.

    ``own``: bytes without those of the fields within; ``values``: how often a field, or an element
    of a list, is there; ``long``: how many of these are texts beyond ``SHORT_TEXT``; ``lists``: how
    often a list has elements; ``empty``: how often a list is written that has none.
    """

    own: Counter[Path] = field(default_factory=Counter)
    values: Counter[Path] = field(default_factory=Counter)
    long: Counter[Path] = field(default_factory=Counter)
    lists: Counter[Path] = field(default_factory=Counter)
    empty: Counter[Path] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.own.update(other.own)
        self.values.update(other.values)
        self.long.update(other.long)
        self.lists.update(other.lists)
        self.empty.update(other.empty)
