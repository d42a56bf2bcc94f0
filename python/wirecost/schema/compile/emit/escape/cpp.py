# SPDX-License-Identifier: Apache-2.0
"""Text in C++: line comments and string literals. No other kind of comment is used."""

from __future__ import annotations

from wirecost.schema.compile.emit.escape.characters import lines, one_line, wrapped

_WIDTH = 96
_SPLICES = ("\\", "??/")
"""End of a line that joins it with the next one: a backslash, or the trigraph for it."""


def comment(text: str, start: str = "//") -> str:
    """Return a comment with line ends; nothing for no text. ``start``: indentation and ``//``."""
    width = _WIDTH - (len(start) - len(start.lstrip()))
    parts = [part for line in lines(text) for part in wrapped(line, width) or [""]]
    return "".join(f"{_ended(f'{start} {part}')}\n" for part in parts)


def line_comment(text: str) -> str:
    """Return all of a text behind ``//``, on one line without its end."""
    return _ended(f"// {one_line(text)}")


def literal(value: str | bytes) -> str:
    """Return a std::string_view; bytes beyond printable ASCII in octal, which ends by itself."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in data)
    return f'std::string_view("{text}", {len(data)})'


def _ended(line: str) -> str:
    line = line.rstrip()
    return f"{line} ." if line.endswith(_SPLICES) else line
