# SPDX-License-Identifier: Apache-2.0
"""Javadoc from a schema's comments."""

from __future__ import annotations

_WIDTH = 96


def javadoc(comment: str, *notes: str) -> str:
    """The comment and what Java's readers need besides; no text: no comment."""
    lines = [_escaped(line) for line in comment.splitlines()]
    lines += [line for note in notes if note for line in (*([""] if lines else []), note)]
    if not lines:
        return ""
    if len(lines) == 1 and len(lines[0]) < _WIDTH:
        return f"/** {lines[0]} */\n"
    inner = "".join(f" * {line}".rstrip() + "\n" for line in lines)
    return f"/**\n{inner} */\n"


def _escaped(text: str) -> str:
    """Text that neither ends the comment nor means something to Javadoc or, as ``\\u``, to Java."""
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("@", "&#64;")):
        text = text.replace(char, entity)
    return text.replace("*/", "*&#47;").replace("\\", "&#92;").replace("{", "&#123;")
