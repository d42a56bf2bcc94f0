# SPDX-License-Identifier: Apache-2.0
"""Formats of recordings, one module each, which the package finds.

A module declares ``NAME`` for people, the function ``open_files``, and ``SUFFIX`` of its files; a
format of folders declares ``PATTERNS`` instead: names in lower case, one of which the folder holds.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from wirecost.data.recordings.connection import RecordingFiles
from wirecost.data.recordings.damage import refuse_no_file
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import reading_command
from wirecost.system.plugins import load_plugin, plugin_facts

_FOLDER = Path(__file__).parent
_SUFFIXES: dict[str, str] = plugin_facts(_FOLDER, "SUFFIX")
_PATTERNS: dict[str, tuple[str, ...]] = plugin_facts(_FOLDER, "PATTERNS")
NAMES: dict[str, str] = plugin_facts(_FOLDER, "NAME")
"""Names for people, by module."""


def format_of(path: Path) -> str:
    """Return the module that reads a file or folder, by its name; empty where none does."""
    if not path.is_dir():
        suffix = path.suffix.lower()
        return next((name for name, own_suffix in _SUFFIXES.items() if own_suffix == suffix), "")
    files = [entry.name.lower() for entry in path.iterdir()]
    for name, patterns in _PATTERNS.items():
        if any(fnmatchcase(file, pattern) for file in files for pattern in patterns):
            return name
    return ""


def open_files(path: Path) -> RecordingFiles:
    """Open a recording of any format. Raises UserError."""
    if not path.is_dir():
        refuse_no_file(path)
    name = format_of(path)
    if not name:
        remedy = f"give one of these: {', '.join(NAMES.values())}"
        raise UserError(f"{path}: no recording that is known; {reading_command(path) or remedy}")
    files: RecordingFiles = load_plugin(__name__, name).open_files(path)
    return files
