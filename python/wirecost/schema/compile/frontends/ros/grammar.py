# SPDX-License-Identifier: Apache-2.0
"""Lines of a ``.msg`` file: declarations with their comments, names not yet looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from wirecost.schema.compile.frontends.ros.builtin import Dialect
from wirecost.schema.compile.schema import CompileError, Label, Origin

LINE = re.compile(
    r"\s*(?P<type>[^\s#=]+(?:<=[^\s#=]+)*)\s+(?P<name>[^\s=#]+)\s*(?P<equals>=?)\s*(?P<rest>(?:.*\S)?)\s*"
)
_TYPE = re.compile(
    r"(?P<name>[A-Za-z]\w*(?:/\w+)*)(?:<=(?P<text>[^\[]*))?(?:\[(?P<array>[^\]]*)\])?", re.ASCII
)
_LARGEST_BOUND = 0xFFFF_FFFF
SPLIT = "---"


@dataclass(frozen=True)
class Declaration:
    """A field or a constant."""

    origin: Origin
    type: str
    """Type as written, without bounds: ``float64``, ``std_msgs/Header``."""
    name: str
    name_origin: Origin
    label: Label
    capacity: int | None
    text_capacity: int | None
    constant: bool
    value: str
    """A constant's value or a field's default as written; empty: none."""
    value_origin: Origin
    comment: str


@dataclass(frozen=True)
class Section:
    """One message: a whole ``.msg`` or a half of a ``.srv``."""

    comment: str
    declarations: tuple[Declaration, ...]


def lines_of(text: str) -> list[str]:
    """Return lines as editors count them; ``str.splitlines`` also parts at form feeds."""
    return text.replace("\r\n", "\n").split("\n")


def sections(text: str, shown: str, dialect: Dialect) -> list[Section]:
    """Return parts between ``---``. The comment that opens a part is its message's own."""
    parts: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(lines_of(text), 1):
        if line.partition("#")[0].strip() == SPLIT:
            parts.append([])
        else:
            parts[-1].append((number, line))
    return [_Reader(shown, dialect).section(part) for part in parts]


class _Reader:
    """Reads the lines of one section; holds the comments that wait for their declaration."""

    def __init__(self, shown: str, dialect: Dialect) -> None:
        self._shown = shown
        self._dialect = dialect

    def section(self, lines: list[tuple[int, str]]) -> Section:
        head: list[str] | None = None
        block: list[str] = []
        done: list[tuple[Declaration, list[str]]] = []
        hanging = None  # column of the last line's trailing comment
        for number, line in lines:
            text = line.strip()
            if text.startswith("#"):
                if hanging is not None and line.index("#") == hanging:
                    done[-1][1].append(text)
                else:
                    block.append(text)
                    hanging = None
                continue
            if head is None and (block or text):
                head, block = block, []
            hanging = None
            if text:
                declaration, trailing, column = self._declaration(number, line)
                done.append((declaration, [*block, *trailing]))
                hanging = column if trailing else None
            block = []
        declarations = tuple(_commented(d, comments) for d, comments in done)
        return Section(_plain(block if head is None else head), declarations)

    def _declaration(self, number: int, line: str) -> tuple[Declaration, list[str], int]:
        match = LINE.fullmatch(line)
        if match is None:
            raise CompileError(
                Origin(self._shown, number, len(line) - len(line.lstrip()) + 1),
                f"`{line.partition('#')[0].strip()[:40]}` declares nothing",
                "write a line as TYPE NAME, TYPE NAME=VALUE or # comment",
            )

        def at(group: str) -> Origin:
            return Origin(self._shown, number, match.start(group) + 1)

        written, text_capacity, label, capacity = self._type(match["type"], at("type"))
        constant = bool(match["equals"])
        to_the_end = constant and written == "string" and not self._dialect.is_ros2
        value, trailing = (match["rest"], "") if to_the_end else _parted(match["rest"])
        pattern = self._dialect.constant_name if constant else self._dialect.field_name
        if not pattern.fullmatch(match["name"]):
            raise CompileError(
                at("name"),
                f"`{match['name']}` is no name of a {'constant' if constant else 'field'}",
                f"{self._dialect.name} wants {self._dialect.naming}",
            )
        declaration = Declaration(
            at("type"),
            written,
            match["name"],
            at("name"),
            label,
            capacity,
            text_capacity,
            constant,
            value,
            at("rest"),
            "",
        )
        return declaration, [trailing] if trailing else [], len(line) - len(trailing)

    def _type(self, text: str, origin: Origin) -> tuple[str, int | None, Label, int | None]:
        match = _TYPE.fullmatch(text)
        if match is None:
            raise CompileError(
                origin,
                f"`{text}` is no type",
                "write a type as NAME, NAME[], NAME[3] or PACKAGE/NAME",
            )
        name, array = match["name"], match["array"]
        text_capacity = None
        if match["text"] is not None:
            if name != "string":
                raise CompileError(
                    origin,
                    f"`{text}` puts a bound on {name}",
                    "only strings and arrays have bounds",
                )
            self._refuse_bounds(text, origin)
            text_capacity = _bound(match["text"], text, origin)
        if array is None:
            return name, text_capacity, Label.SINGLE, None
        if not array:
            return name, text_capacity, Label.REPEATED, None
        if array.startswith("<="):
            self._refuse_bounds(text, origin)
            return name, text_capacity, Label.REPEATED, _bound(array[2:], text, origin)
        return name, text_capacity, Label.ARRAY, _bound(array, text, origin)

    def _refuse_bounds(self, text: str, origin: Origin) -> None:
        if not self._dialect.is_ros2:
            raise CompileError(
                origin, f"`{text}` has a bound, which ros1 lacks", "give --dialect ros2"
            )


def _bound(text: str, whole: str, origin: Origin) -> int:
    if not re.fullmatch("0*[0-9]{1,10}", text) or not 0 < int(text[-10:]) <= _LARGEST_BOUND:
        raise CompileError(
            origin,
            f"`{text}` in `{whole}` is no bound",
            f"give a whole number from 1 to {_LARGEST_BOUND}",
        )
    return int(text[-10:])


def _parted(rest: str) -> tuple[str, str]:
    """Return the value and trailing comment; a ``#`` in quotes belongs to the value."""
    quoted = re.match(r"""(?P<quote>["'])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote)""", rest)
    begin = rest.find("#", quoted.end() if quoted else 0)
    return (rest, "") if begin < 0 else (rest[:begin].rstrip(), rest[begin:])


def _commented(declaration: Declaration, comments: list[str]) -> Declaration:
    return replace(declaration, comment=_plain(comments))


def _plain(comments: list[str]) -> str:
    """Return the text of comment lines without their marks and without rules made of ``#``."""
    return "\n".join(line.strip("#").strip() for line in comments).strip()


def declared_fields(text: str) -> Iterator[str]:
    """Yield types and names of the lines that may declare fields, without comments and defaults."""
    for line in lines_of(text):
        match = LINE.fullmatch(line.partition("#")[0])
        if match and not match["equals"]:
            yield f"{match['type']} {match['name']}"


def types_used(text: str) -> Iterator[str]:
    """Yield first words of the lines that may be declarations, without bounds; for a first look."""
    for line in lines_of(text):
        match = LINE.fullmatch(line)
        if match:
            yield re.split(r"\[|<", match["type"])[0]


def dialect_seen(text: str) -> str | None:
    """Return the dialect of the first line that only one of them has; None if there is none."""
    for line in lines_of(text):
        match = LINE.fullmatch(line)
        if match is None:
            continue
        name = re.split(r"\[|<", match["type"])[0]
        if name in ("time", "duration", "Header"):
            return "ros1"
        default = not match["equals"] and _parted(match["rest"])[0]
        if (
            "<=" in match["type"]
            or name == "wstring"
            or name.startswith("builtin_interfaces/")
            or "/msg/" in name
            or default
        ):
            return "ros2"
    return None
