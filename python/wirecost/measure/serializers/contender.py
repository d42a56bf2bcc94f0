# SPDX-License-Identifier: Apache-2.0
"""A library in one language and mode, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.entry import Entry
from wirecost.results.records.schemas.message import ALL, LATER, TAKEN_OUT, WITHOUT


@dataclass(frozen=True)
class Contender:
    """A contender of a language, in one mode.

    ``again``: the wire on which it sends, for verification, what it has read; ``allocator``: of
    ``allocators.NAMED``, empty for the one with which wirecost was started; ``malloc``: the file in
    which its processes' malloc lies, if that is known.
    """

    lang: str
    library: str
    mode: str
    wire: str
    version: str
    again: str = "protobuf"
    allocator: str = ""
    malloc: str | None = None

    @property
    def key(self) -> str:
        return f"{self.lang} {self.library} {self.under(self.mode)}"

    def under(self, mode: str) -> str:
        """Return a mode with the allocator behind it, if there is one."""
        return f"{mode} {self.allocator}".rstrip()

    def entry(self, type_name: str) -> Entry[Contender]:
        return self._entry(type_name, ALL, self.mode)

    def later_entry(self, type_name: str) -> Entry[Contender]:
        """Return an entry of the race with what compiles for long."""
        return self._entry(type_name, LATER, self.mode)

    def part(self, type_name: str, without: str) -> Entry[Contender]:
        """Return an entry; ``without``: path of a field, ``TOGETHER``, or empty for none."""
        mode = f"{self.mode}{WITHOUT}{without}" if without else self.mode
        return self._entry(f"{type_name} by field", TAKEN_OUT, mode)

    def _entry(self, case: str, variant: str, mode: str) -> Entry[Contender]:
        who = {
            "case": case,
            "variant": variant,
            "build": "release",
            "lang": self.lang,
            "contender": self.library,
            "mode": mode,
            "wire": self.wire,
        }
        return Entry(f"{self.lang} {self.library} {mode}", self, who)
