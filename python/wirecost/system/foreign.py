# SPDX-License-Identifier: Apache-2.0
"""Names and text of others in what wirecost prints: on a terminal, in a shell."""

from __future__ import annotations

import os
import shlex


def printable(name: object) -> str:
    """Return the text on one line, with what a terminal would obey written as ``\\x1b``.

    Escaped is all that Unicode does not count as printable: control characters, line breaks,
    changes of the writing direction, and what stands for bytes that are no text (PEP 383).
    """
    text = str(name)
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


def shell_line(*words: object) -> str:
    """Return words as a command line for a shell, each of them quoted where it needs to be.

    The line can be shown as it is: what a terminal would obey is written in the shell's ``$'…'``.
    """
    return " ".join(_shell_word(str(word)) for word in words)


def _shell_word(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    parts = []
    for char in word:
        if char in "\\'":
            parts.append(f"\\{char}")
        elif char.isprintable():
            parts.append(char)
        else:
            # Octal digits are three at most, so that a digit behind them is not taken for theirs.
            parts += [f"\\{byte:03o}" for byte in os.fsencode(char)]
    return f"$'{''.join(parts)}'"
