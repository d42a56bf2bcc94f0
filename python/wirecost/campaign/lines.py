# SPDX-License-Identifier: Apache-2.0
"""Where in a TOML file a key stands, for errors: Python's parser does not tell."""

from __future__ import annotations

import re

_TABLE = re.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]?\]")
_KEY = re.compile(r"""\s*(["']?)([\w-]+)\1\s*=""")


class Lines:
    """Of one file that was parsed without an error."""

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[str, int, str], int] = {}
        """By table, the number of the ``[[bench]]`` it belongs to (-1 before the first), and key;
        the empty key is the table's own line."""
        table, bench = "", -1
        for number, line in enumerate(text.splitlines(), start=1):
            if found := _TABLE.match(line):
                table = found[1]
                bench += table == "bench"
                self._found.setdefault((table, bench, ""), number)
            elif found := _KEY.match(line):
                self._found.setdefault((table, bench, found[2]), number)

    def of(self, table: str, bench: int, key: str = "") -> int:
        """The key's line, else its table's, else 1."""
        own = ("bench", bench, table.removeprefix("bench."))
        for wanted in ((table, bench, key), (table, bench, ""), own, ("bench", bench, "")):
            if wanted in self._found:
                return self._found[wanted]
        return 1
