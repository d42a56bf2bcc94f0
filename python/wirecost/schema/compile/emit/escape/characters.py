# SPDX-License-Identifier: Apache-2.0
"""Text as compilers and their users may safely see it: line by line, all of it visible."""

from __future__ import annotations

import re
import unicodedata


def lines(text: str) -> list[str]:
    """Return the lines of a text, whatever ends them, without characters that no one sees.

    Control characters, marks that turn the direction of writing, surrogates and the like become
    ``<U+202E>``, other blanks a space: no two programs disagree about what is left.
    """
    return [shown(line) for line in str.splitlines(text)]


def one_line(text: str) -> str:
    """Return the same on one line."""
    return " ".join(lines(text))


def shown(line: str) -> str:
    """Return one line's visible form; a line break within it is shown as well."""
    if line.isprintable():
        return str.__str__(line)
    return "".join(map(_shown, line))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    is_blank = character == "\t" or unicodedata.category(character) == "Zs"
    return " " if is_blank else f"<U+{ord(character):04X}>"


_WORD = re.compile(r"\s*\S+")


def wrapped(line: str, width: int) -> list[str]:
    """Return lines of at most ``width`` characters, or of one longer word; none for no words.

    Unlike ``textwrap`` it takes time in proportion to the text, whatever is in it.
    """
    rows: list[str] = []
    row: list[str] = []
    used = 0
    for word in _WORD.findall(line.rstrip()):
        if row and used + len(word) > width:
            rows.append("".join(row))
            row, used = [], 0
        row.append(word if row or not rows else word.lstrip())
        used += len(row[-1])
    return [*rows, "".join(row)] if row else rows
