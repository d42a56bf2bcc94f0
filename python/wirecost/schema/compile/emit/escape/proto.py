# SPDX-License-Identifier: Apache-2.0
"""Text in ``.proto`` files: line comments. A NUL would end them for protoc."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.schema.compile.emit.escape.characters import lines, one_line, wrapped

_WIDTH = 90


def comment(text: str) -> Iterator[str]:
    """Yield lines of a text's first paragraph as a comment, without their ends."""
    words: list[str] = []
    for line in lines(text.strip()):
        if not line.strip():
            break
        words.append(line)
    return (f"// {part}" for part in wrapped(" ".join(words), _WIDTH))


def line_comment(text: str) -> str:
    """Return all of a text behind ``//``, on one line without its end."""
    return f"// {one_line(text)}".rstrip()
