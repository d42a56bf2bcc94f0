# SPDX-License-Identifier: Apache-2.0
"""Names and text of others in what wirecost prints: on a terminal, in a shell."""

from __future__ import annotations

import os
import shlex

from wirecost.system.printable import printable


def shown(name: object) -> str:
    """Return the text on one line, as ``printable`` does."""
    return printable(str(name))


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
