# SPDX-License-Identifier: Apache-2.0
r"""Text in Java, which replaces ``\u000a`` by a line's end before it looks for comments.

All of it becomes ASCII: javac takes other characters for what the machine's locale makes of them.
"""

from __future__ import annotations

from wirecost.schema.compile.emit.escape.characters import lines, one_line

_WIDTH = 96
_MOST_NUMBERS = 256
_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "\\": "&#92;", "{": "&#123;"}
)


def javadoc(text: str, *notes: str) -> str:
    """Return a comment and what Java's readers need besides, with line ends; no text: nothing.

    ``notes`` are the emitter's own words and names, with tags.
    """
    rows = [_escaped(line) for line in lines(text)]
    rows += [line for note in notes if note for line in (*([""] if rows else []), note)]
    if not rows:
        return ""
    if len(rows) == 1 and len(rows[0]) < _WIDTH:
        return f"/** {rows[0]} */\n"
    inner = "".join(f" * {line}".rstrip() + "\n" for line in rows)
    return f"/**\n{inner} */\n"


def line_comment(text: str) -> str:
    """Return all of a text behind ``//``, on one line without its end."""
    ascii_only = "".join(c if c < "\x7f" else f"<U+{ord(c):04X}>" for c in one_line(text))
    # Behind a backslash another one is no beginning of a \u.
    return "// " + ascii_only.replace("\\", "\\\\")


def literal(value: str) -> str:
    """Return a String: ASCII, other characters by the numbers of their UTF-16 units."""
    units = value.encode("utf-16-be", "surrogatepass")
    return f'"{"".join(map(_unit, units[::2], units[1::2]))}"'


def bytes_literal(value: bytes) -> str:
    """Return a byte[]; a long one as a String, of which a class can hold more than of numbers."""
    if len(value) > _MOST_NUMBERS:
        charset = "java.nio.charset.StandardCharsets.ISO_8859_1"
        return f"{literal(value.decode('latin-1'))}.getBytes({charset})"
    return f"new byte[] {{{', '.join(str(b - 256 if b > 127 else b) for b in value)}}}"


def _unit(high: int, low: int) -> str:
    if high or low > 126:
        return f"\\u{high:02x}{low:02x}"
    if low == ord('"'):
        return '\\"'
    return chr(low) if low >= 32 and low != ord("\\") else f"\\{low:03o}"


def _escaped(line: str) -> str:
    r"""Return a line without the comment's end, and what Javadoc or Java's ``\u`` would read."""
    text = line.translate(_ENTITIES).replace("*/", "*&#47;")
    return text.encode("ascii", "xmlcharrefreplace").decode()
