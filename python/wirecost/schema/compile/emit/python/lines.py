# SPDX-License-Identifier: Apache-2.0
"""Collects lines of Python code at an indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

LONGEST = 100
"""Characters of a line that is not split."""
_STRING = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*\1""")


class Lines:
    """Indented lines, and numbered local names."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}
        """Numbers from which on a name may be free, by name."""

    def add(self, line: str) -> None:
        self.lines += wrapped(line, self.depth)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    def local(self, name: str) -> str:
        """Return a local variable's name like ``name`` that is not used yet."""
        if name[:1].isdigit():
            name = f"value{name}"
        number, candidate = self._numbers.get(name, 2), name
        while candidate in self._used:
            candidate, number = f"{name}{number}", number + 1
        self._numbers[name] = number
        self._used.add(candidate)
        return candidate

    def reserve(self, *names: str) -> None:
        self._used.update(names)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def wrapped(line: str, depth: int = 0) -> list[str]:
    """Return ``line``; if it is too long, with one item of its longest brackets per line."""
    indented = "    " * depth + line
    start, commas, end = _longest_brackets(line) if len(indented) > LONGEST else (0, [], 0)
    if not end:
        return [indented]
    items = [line[a + 1 : b].strip() for a, b in pairwise((start, *commas, end))]
    inner = [part for item in items if item for part in wrapped(f"{item},", depth + 1)]
    margin = "    " * depth
    return [margin + line[: start + 1], *inner, margin + line[end:]]


def _longest_brackets(line: str) -> tuple[int, list[int], int]:
    """Return where they open, the commas in them, and where they close; 0 if there are none.

    Only those of a tuple, list or call, where a comma behind the last item changes nothing.
    """
    best: tuple[int, list[int], int] = (0, [], 0)
    opened: list[int] = []
    commas: list[int] = []
    # Strings are blanked first: their brackets mean nothing.
    plain = _STRING.sub(lambda found: "_" * len(found[0]), line)
    for at, letter in enumerate(plain):
        if letter in "([{":
            opened.append(at)
            if len(opened) == 1:
                commas = []
        elif letter == "," and len(opened) == 1:
            commas.append(at)
        elif letter in ")]}":
            start = opened.pop()
            called = plain[start - 1].isalnum() or plain[start - 1] in "_])"
            fits = plain[start] == "(" if called else bool(commas) and plain[start] != "{"
            if not opened and fits and at - start > max(1, best[2] - best[0]):
                best = start, commas, at
    return best


def reset(lines: Lines, held: list[str]) -> None:
    """Set attributes to None, as many a line as fit."""
    row: list[str] = []
    for name in held:
        if row and 4 * lines.depth + len(" = ".join([*row, name, "None"])) > LONGEST:
            lines.add(f"{' = '.join(row)} = None")
            row = []
        row.append(name)
    if row:
        lines.add(f"{' = '.join(row)} = None")


def if_any_is_none(held: list[str]) -> str:
    """Return the head of a block."""
    condition = " or ".join(f"{name} is None" for name in held)
    if len(condition) < LONGEST - 15:
        return f"if {condition}:"
    return "if (\n        " + condition.replace(" or ", "\n        or ") + "\n    ):"


def call_tuple(pieces: list[str]) -> str:
    """Return the text of a tuple, ``(a, b)`` or ``(a,)``."""
    return f"({pieces[0]},)" if len(pieces) == 1 else f"({', '.join(pieces)})"
