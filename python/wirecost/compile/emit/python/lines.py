# SPDX-License-Identifier: Apache-2.0
"""Collects lines of Python code at an indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


LONGEST = 100


class Lines:
    """Indented lines, and numbered local names."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._used: set[str] = set()

    def add(self, line: str) -> None:
        self.lines += wrapped(line, self.depth)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head)
        self.depth += 1
        yield
        self.depth -= 1

    def local(self, name: str) -> str:
        """A local variable's name like ``name`` that is not used yet."""
        number, found = 2, name
        while found in self._used:
            found, number = f"{name}{number}", number + 1
        self._used.add(found)
        return found

    def reserve(self, *names: str) -> None:
        self._used.update(names)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def wrapped(line: str, depth: int) -> list[str]:
    """``line``, or if it is too long what its outermost brackets hold, an item a line."""
    indented = "    " * depth + line
    if len(indented) <= LONGEST:
        return [indented]
    head, items, tail = _parted(line)
    if not items:
        return [indented]
    inner = [part for item in items for part in wrapped(f"{item},", depth + 1)]
    return ["    " * depth + head, *inner, "    " * depth + tail]


def _parted(line: str) -> tuple[str, list[str], str]:
    """What is up to the last bracket that is opened at the outermost level, the items in it, and
    what is behind; no items if they cannot stand on lines of their own."""
    level, start, end, quote = 0, 0, 0, ""
    commas: list[int] = []
    skip = False
    for at, letter in enumerate(line):
        if skip or quote:
            if skip:
                skip = False
            elif letter == "\\":
                skip = True
            elif letter == quote:
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            level += 1
            if level == 1:
                start, commas = at, []
        elif letter in ")]}":
            level -= 1
            if level == 0:
                end = at
        elif letter == "," and level == 1:
            commas.append(at)
    if not commas or line[start] == "{":
        return line, [], ""
    cuts = [start, *commas, end]
    items = [line[a + 1 : b].strip() for a, b in zip(cuts, cuts[1:], strict=False)]
    return line[: start + 1], [item for item in items if item], line[end:]


def call_tuple(pieces: list[str]) -> str:
    """``(a, b)`` or ``(a,)``."""
    return f"({pieces[0]},)" if len(pieces) == 1 else f"({', '.join(pieces)})"
