# SPDX-License-Identifier: Apache-2.0
"""Collects lines of Python code at an indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Lines:
    """Indented lines, and numbered local names."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._used: set[str] = set()

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

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


def call_tuple(pieces: list[str]) -> str:
    """``(a, b)`` or ``(a,)``."""
    return f"({pieces[0]},)" if len(pieces) == 1 else f"({', '.join(pieces)})"
