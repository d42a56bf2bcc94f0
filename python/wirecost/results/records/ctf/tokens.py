# SPDX-License-Identifier: Apache-2.0
"""The words of TSDL, the language of CTF's metadata."""

from __future__ import annotations

import re

PATTERN = re.compile(
    r"""
    (?P<space>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:[^"\\\n]+|\\.)*+")
  | (?P<number>-?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>\.\.\.|:=|[{}()\[\]<>;:,.=*+-])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
LONGEST_NUMBER = 24
MOST = 4_000_000


class TsdlError(Exception):
    """An error in a trace's metadata, in a few words."""


class Tokens:
    """``text``'s words one after the other; ``""`` after the last. A string keeps its quotes."""

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        at = 0
        while at < len(text):
            match = PATTERN.match(text, at)
            if match is None or len(self._words) > MOST:
                raise TsdlError(f"line {text.count(chr(10), 0, at) + 1} is no TSDL")
            if match.lastgroup != "space":
                self._words.append(match.group())
            at = match.end()
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._words[at] if at < len(self._words) else ""

    def take(self) -> str:
        word = self.peek()
        self._at += 1
        return word

    def accept(self, word: str) -> bool:
        if self.peek() != word:
            return False
        self._at += 1
        return True

    def expect(self, word: str) -> None:
        if (word_read := self.take()) != word:
            raise TsdlError(f"{word!r} expected, not {word_read[:40]!r}")

    def name(self) -> str:
        word = self.take()
        if not (word[:1].isalpha() or word[:1] == "_"):
            raise TsdlError(f"a name expected, not {word[:40]!r}")
        return word

    def number(self) -> int:
        return number_of(self.take())


def is_number(word: str) -> bool:
    return word[:1].isdigit() or (word[:1] == "-" and word[1:2].isdigit())


def number_of(word: str) -> int:
    if not is_number(word) or len(word) > LONGEST_NUMBER:
        raise TsdlError(f"a number expected, not {word[:40]!r}")
    digits = word.rstrip("uUlL")
    octal = len(digits.lstrip("-")) > 1 and digits.lstrip("-").isdigit() and digits[:1] == "0"
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        raise TsdlError(f"a number expected, not {word!r}") from None
