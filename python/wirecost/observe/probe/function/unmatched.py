# SPDX-License-Identifier: Apache-2.0
"""Patterns of ``--function`` that matched nothing in a whole run, whatever processes it had."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from wirecost.observe.probe.function.request import is_python

NEAR = ".near"
"""Suffix of what a Python interpreter leaves in the folder of the logs: by each pattern that
nothing matched there, names of functions that are similar."""


def unmatched(patterns: Sequence[str], folder: Path, sections: Iterable[str]) -> list[str]:
    """Return a line for each pattern that nothing matched, and remove the interpreters' files.

    ``sections``: names in all logs.
    """
    near: dict[str, dict[str, None]] = {}
    for file in folder.glob("*" + NEAR):
        for pattern, names in json.loads(file.read_text()).items():
            near.setdefault(pattern, {}).update(dict.fromkeys(names))
        file.unlink()
    recorded = set(sections)
    return [
        f"--function {pattern}: no function that was called matches{_hint(near.get(pattern, {}))}"
        for pattern in patterns
        if not any(_matches(pattern, name) for name in recorded)
    ]


def _matches(pattern: str, name: str) -> bool:
    """Return whether a name matches.

    For C++, whose sections have parameters and long names are cut, return whether it may match.
    """
    literal = pattern.replace("[", "[[]")
    if is_python(pattern):
        module, _, function = literal.partition(":")
        return fnmatchcase(name, f"{'*' if module == '__main__' else module}:{function}")
    return "..." in name or fnmatchcase(name, f"*{literal}*")


def _hint(names: dict[str, None]) -> str:
    return "; the nearest are " + ", ".join(list(names)[:3]) if names else ""
