# SPDX-License-Identifier: Apache-2.0
"""Text in Python: line comments, docstrings and literals."""

from __future__ import annotations

import math
import re

from wirecost.schema.compile.emit.escape.characters import lines, one_line
from wirecost.schema.compile.schema import Value

_ENCODING = re.compile(r"(?<=coding)(?=[:=])")
"""Text that in the first lines of a file would name the encoding of all of it."""


def comment(text: str, start: str = "#") -> str:
    """Return a comment with line ends; nothing for no text. ``start``: indentation and ``#``."""
    return "".join(f"{start} {_ENCODING.sub(' ', line)}".rstrip() + "\n" for line in lines(text))


def line_comment(text: str) -> str:
    """Return all of a text behind ``#``, on one line without its end."""
    return f"# {_ENCODING.sub(' ', one_line(text))}".rstrip()


def docstring(text: str, indent: str = "") -> str:
    """Return a text between triple quotes, its further lines indented; the first is not."""
    first, *others = [_within_quotes(line) for line in lines(text)] or [""]
    if others:
        rows = [first, *(f"{indent}{line}".rstrip() for line in others), indent]
        return '"""' + "\n".join(rows) + '"""'
    return f'"""{first} """' if first.endswith('"') else f'"""{first}"""'


def literal(value: Value) -> str:
    """Return an expression for a value; texts in printable characters."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _within_quotes(line: str) -> str:
    return line.rstrip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
