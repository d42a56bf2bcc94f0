# SPDX-License-Identifier: Apache-2.0
"""Patterns of functions that matched nothing in a whole run, whatever processes it had."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from wirecost.system.function_names import section_globs

NEAR = ".near"
"""Suffix of what a Python interpreter leaves in the folder of the logs: by each pattern that
nothing matched there, names of functions that are similar."""


def unmatched(patterns: Sequence[str], folder: Path) -> list[str]:
    """Return a line for each pattern that nothing matched, and remove the interpreters' files."""
    from wirecost.results.records.probe_log import read_log  # noqa: PLC0415 - help needs no tables

    near: dict[str, dict[str, None]] = {}
    for file in folder.glob("*" + NEAR):
        for pattern, names in json.loads(file.read_text()).items():
            near.setdefault(pattern, {}).update(dict.fromkeys(names))
        file.unlink()
    logs = map(read_log, folder.glob("*.wprobe"))
    recorded = {name for log in logs for name in log.names.values()}
    return [
        f"function {pattern}: no function that was called matches{_hint(near.get(pattern, {}))}"
        for pattern in patterns
        if not any(_matches(pattern, name) for name in recorded)
    ]


def _matches(pattern: str, name: str) -> bool:
    """Return whether a name matches; one that was cut in the middle may match any."""
    return "..." in name or any(fnmatchcase(name, glob) for glob in section_globs(pattern))


def _hint(names: dict[str, None]) -> str:
    return "; the nearest are " + ", ".join(list(names)[:3]) if names else ""
