# SPDX-License-Identifier: Apache-2.0
"""Names of C++ functions for tables: without template arguments and parameters.

Patterns of functions for a command that has none yet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

_OPERATOR = re.compile(
    r"operator\s*(\(\)|\[\]|->\*?|<=>|<<=|>>=|[-+*/%^&|~!=<>]=?|<<|>>|&&|\|\||,)"
)
_TAG = re.compile(r"\[abi:\w+\]| \[clone [.\w]+\]")
_OPENING, _CLOSING = {"<": ">", "(": ")"}, {">", ")"}
_AFTER = re.compile(r"^(\s*(const|volatile|noexcept|&))*$")
_PARAMETERS = re.compile(r"(?<=[\w>\])])(?<!operator)\(.*")
_LONGEST = 1000
"""Characters of a name; longer ones stay, since the time grows with the square."""

Named = TypeVar("Named", bound=Any)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Map each name to a shorter one, as far as all stay distinct."""
    distinct = list(dict.fromkeys(names))
    chosen = {name: _without(name, "<(") for name in distinct}
    for brackets in ("(", *[""] * len(distinct)):
        uses = Counter(chosen.values())
        if len(uses) == len(distinct):
            break
        for name, short in chosen.items():
            if uses[short] > 1:
                chosen[name] = _without(name, brackets)
    return chosen


def shortened(items: Iterable[Named], names: Mapping[str, str]) -> list[Named]:
    """Return copies of dataclasses that have a ``section``, with its short name."""
    return [replace(item, section=names.get(item.section, item.section)) for item in items]


def is_python(pattern: str) -> bool:
    """Return whether it is ``package.module:Class.method``; with ``::`` or no colon it is C++."""
    return ":" in pattern.replace("::", "")


def section_globs(pattern: str) -> tuple[str, ...]:
    """Return globs of the sections that calls of the functions of a pattern are recorded as.

    In a pattern ``[`` is no wildcard. A section has parameters only where another one differs by
    them, a number where nothing else differs, and an object where each has a section.
    """
    literal = pattern.replace("[", "[[]")
    if is_python(pattern):
        module, _, function = literal.partition(":")
        return (f"{'*' if module == '__main__' else module}:{function}",)
    names = dict.fromkeys((literal, _PARAMETERS.sub("", literal)))
    return tuple(name + number for name in names for number in ("", "#[0-9]*", " object [0-9]*"))


def own_functions(words: Sequence[str]) -> str:
    """Return the pattern of all functions of the Python file that a command runs.

    It is ``NAME`` where it runs none.
    """
    if "-m" in words and Path(words[0]).name.startswith("python"):
        return "__main__:*"
    files = (Path(word) for word in words if word.endswith(".py"))
    return next((f"{file.stem}:*" for file in files), "NAME")


def _without(name: str, brackets: str) -> str:
    """Remove balanced brackets that follow a word; of ``(`` only parameters at the end."""
    if not brackets or len(name) > _LONGEST:
        return name
    out: list[str] = []
    at = 0
    name = _TAG.sub("", name)
    while at < len(name):
        if (operator := _OPERATOR.match(name, at)) and not name[:at][-1:].isidentifier():
            out.append(operator[0])
            at = operator.end()
            continue
        end = _end(name, at) if name[at] in brackets and _after_word("".join(out[-1:])) else None
        if end is not None and name[at] == "(" and _AFTER.match(name[end:]):
            break
        if end is not None and name[at] == "<":
            at = end
            continue
        out.append(name[at])
        at += 1
    return "".join(out).strip() or name


def _after_word(before: str) -> bool:
    return bool(before) and (before[-1].isalnum() or before[-1] in "_>)=]+-*/")


def _end(name: str, at: int) -> int | None:
    """Return the position behind the bracket that closes the one here; None: none does."""
    waited: list[str] = []
    for i in range(at, len(name)):
        if name[i] in _OPENING:
            waited.append(_OPENING[name[i]])
        elif name[i] in _CLOSING and not (name[i] == ">" and name[i - 1] == "-"):
            if not waited or waited.pop() != name[i]:
                return None
            if not waited:
                return i + 1
    return None
