# SPDX-License-Identifier: Apache-2.0
"""Text as compilers see it: its tokens without comments, and the values of its literals.

Written from the languages' standards; they share nothing with what prints the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))


@dataclass(frozen=True)
class Literal:
    """A string: of C++ its bytes, of Java its UTF-16 units."""

    value: bytes


Token = str | Literal

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<line>//[^\n]*)
    |(?P<block>/\*.*?\*/)
    |(?P<textblock>"{3})
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<char>'(?:[^'\\\n]|\\.)+')
    |(?P<number>\d(?:'?\w)*)
    |(?P<word>\w+)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)


def cpp(text: str, trigraphs: bool = False) -> list[Token]:
    """Return the tokens after phases 1 to 3 of translation, as GCC does them.

    Blanks may follow a backslash that joins lines. ``trigraphs``: as before C++17, or with
    -trigraphs."""
    if trigraphs:
        text = re.sub(r"\?\?([=/'()!<>-])", lambda found: TRIGRAPHS[found[1]], text)
    text = re.sub(r"\\[ \t\v\f]*\r?\n", "", text)
    return list(_tokens(text, _cpp_value))


def java(text: str) -> list[Token]:
    r"""``\uXXXX`` first (JLS 3.3), then comments and literals; no text blocks."""
    return list(_tokens(_without_unicode_escapes(text), _java_value))


def proto(text: str) -> list[Token]:
    """Return the tokens; a NUL ends a comment as a line's end does."""
    return list(_tokens(text.replace("\0", "\n"), _cpp_value))


def python(text: str, name: str = "<text>") -> str:
    """Return the syntax tree without docstrings, each text constant but its kind."""
    tree = ast.parse(text.encode(), name)  # bytes: a comment may name the encoding
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body if not _is_text(part)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            node.value = type(node.value)()
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def without_values(tokens: list[Token]) -> list[str]:
    return [token if isinstance(token, str) else '""' for token in tokens]


def _tokens(text: str, value: object) -> Iterator[Token]:
    assert callable(value)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "string":
            yield Literal(value(match[0][1:-1]))
        elif kind == "textblock":
            raise AssertionError("none is used")
        elif kind == "other":
            assert match[0] not in "\"'", f"no end of {text[match.start() : match.start() + 60]!r}"
            yield match[0]
        elif kind in ("number", "word", "char"):
            yield match[0]


def _cpp_value(text: str) -> bytes:
    def escaped(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 8))
        return {"n": "\n", "t": "\t"}.get(found[2], found[2])

    # Characters stand for bytes here.
    wide = text.encode().decode("latin-1")
    return re.sub(r"\\(?:([0-7]{1,3})|(.))", escaped, wide).encode("latin-1")


def _java_value(text: str) -> bytes:
    def escaped(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 8))
        return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(found[2], found[2])

    value = re.sub(r"\\(?:([0-3]?[0-7]{1,2})|(.))", escaped, text)
    return value.encode("utf-16-be", "surrogatepass")


def _without_unicode_escapes(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        # The last of an odd number of backslashes begins an escape.
        if len(found[1]) % 2 == 0:
            return found[0]
        assert re.fullmatch("[0-9a-fA-F]{4}", found[2]), f"illegal escape {found[0]!r}"
        return found[1][1:] + chr(int(found[2], 16))

    return re.sub(r"(\\+)u+(.{0,4})", replaced, text, flags=re.DOTALL)
