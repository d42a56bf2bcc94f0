# SPDX-License-Identifier: Apache-2.0
"""Text of unknown origin, made safe to look at."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text on one line, with what a terminal would obey written as ``\\x1b``.

    Escaped is all that Unicode does not count as printable: control characters, line breaks,
    changes of the writing direction, and what stands for bytes that are no text (PEP 383).
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def is_unicode(text: str) -> bool:
    """Return whether all of it is characters, none a stand-in for bytes that are no text."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def shortened(text: str, most: int) -> str:
    """Return ``most`` characters of it at most, and how many are missing."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} characters more)"


def shown(text: object, most: int = 80) -> str:
    """Return text from a file in a form that fits a line for people."""
    return shortened(printable(" ".join(str(text).split())), most)


def without_middle(name: str, most: int = 24) -> str:
    """Cut the middle out of a long name: beginning and end distinguish files."""
    if len(name) <= most:
        return name
    tail = most // 2
    return f"{name[: most - tail - 1]}…{name[-tail:]}"
