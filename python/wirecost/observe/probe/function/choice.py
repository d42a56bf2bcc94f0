# SPDX-License-Identifier: Apache-2.0
"""Choice of what is recorded of what patterns match; or why nothing can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from wirecost.observe.probe.function.listing import Function, Listing
from wirecost.observe.probe.function.request import HIGHEST_LIMIT
from wirecost.system.errors import UserError
from wirecost.system.function_names import short_names

MOST_SHOWN = 20
LIBRARIES = ("std::", "__gnu_cxx::", "__cxxabiv1::", "boost::", "operator", "void ", "_", "(")
"""Beginnings of the names that a program contains of its libraries and of the compiler."""


def matched(
    patterns: Sequence[str], listed: Listing, program: Path, limit: int, *, each: bool, later: bool
) -> list[str]:
    """Return a note for each pattern whose functions only a library opened later can bring.

    ``each``: whether every pattern must match, not just one; ``later``: whether libraries that the
    program opens are searched. Raises UserError if too few functions match, or more than ``limit``.
    """
    for file in listed.objects[:1]:
        if file.trouble:
            raise UserError(f"{file.path}: {file.trouble}; functions are found in x86-64 ELF files")
    may_come = later and listed.opens_libraries
    if listed.missing and not may_come and (each or not listed.functions):
        text = ", ".join(listed.missing)
        raise UserError(f"function {text}: no function of {program} matches{_hint(listed)}")
    if len(listed.functions) > limit:
        count = len(listed.functions)
        names = short_names(function.name for function in listed.functions).values()
        raise UserError(
            f"function {', '.join(patterns)}: {count} functions match, more than {limit}, such as "
            f"{_some(names)}; {_fewer(listed, program, limit)}"
        )
    near = f"; the nearest are {', '.join(listed.nearest)}" if listed.nearest else ""
    return [
        f"function {pattern}: waits for libraries that {program.name} opens later{near}"
        for pattern in (listed.missing if may_come else ())
    ]


def _hint(listed: Listing) -> str:
    if listed.nearest:
        return f"; the nearest are {', '.join(listed.nearest)}"
    return (
        ", and no name is like it; give another pattern, or install the debug file: a stripped "
        "program has only the functions that it exports, and one that is inlined everywhere has "
        "no symbol"
    )


def _fewer(listed: Listing, program: Path, limit: int) -> str:
    """Return what helps: patterns for the program's own functions, or a higher limit if one is."""
    own: Counter[str] = Counter()
    for function in listed.functions:
        name = function.section.partition("<")[0].partition("(")[0]
        if Path(function.object).name == program.name and not name.startswith(LIBRARIES):
            scope, inside, _ = name.rpartition("::")
            if name in ("", "main"):
                continue
            own[f"{scope}::*" if inside else name] += 1
    best = [f"'{pattern}' ({count})" for pattern, count in own.most_common() if count <= limit][:3]
    text = "give a longer pattern"
    if best:
        text += f", such as {', '.join(best)} of {program.name} itself"
    if len(listed.functions) <= HIGHEST_LIMIT:
        text += f", or --function-limit {len(listed.functions)}"
    return text


def _some(names: Iterable[str]) -> str:
    return ", ".join(list(names)[:3])


def lines(functions: Sequence[Function], why_not: Callable[[Function], str]) -> list[str]:
    """Return a line for each function, with the reason of each that is not recorded."""
    names = short_names(function.name for function in functions)
    text = [
        f"  {names[function.name]} [{Path(function.object).name}]"
        + (f": not recorded: {reason}" if (reason := why_not(function)) else _remark(function))
        for function in functions[:MOST_SHOWN]
    ]
    if len(functions) > MOST_SHOWN:
        text.append(f"  … and {len(functions) - MOST_SHOWN} more")
    return text


def _remark(function: Function) -> str:
    for clone in (".constprop", ".isra"):
        if clone in function.symbol:
            return ": a copy that the compiler made for some of its callers"
    return ""


def recordable(functions: Sequence[Function], why_not: Callable[[Function], str]) -> int:
    """Count those that can be recorded. Raises UserError with the reasons where there is none."""
    count = sum(not why_not(function) for function in functions)
    if count == 0:
        reasons = "; ".join(
            f"{function.name}: {why_not(function)}" for function in functions[:MOST_SHOWN]
        )
        raise UserError(f"none of the functions that match can be recorded: {reasons}")
    return count
