# SPDX-License-Identifier: Apache-2.0
"""Commands to copy into a shell: names of others are quoted, so that none of them runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}


def quoted(word: str | Path) -> str:
    """Return the word as a shell reads it back.

    Characters that a terminal would obey are escaped in a ``$'…'`` string, as Bash, Zsh and
    BusyBox read it.
    """
    text = str(word)
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def command_line(words: Iterable[str | Path]) -> str:
    """Return the words as a line for a shell."""
    return " ".join(map(quoted, words))


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if character.isprintable():
        return character
    octets = character.encode("utf-8", "surrogateescape")
    return re.sub("..", r"\\x\g<0>", octets.hex())
