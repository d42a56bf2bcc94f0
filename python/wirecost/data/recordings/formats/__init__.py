# SPDX-License-Identifier: Apache-2.0
"""Formats of recordings, one module each, which the package finds.

A module declares ``SUFFIX``, ``NAME`` for people, and the function ``open_part``.
"""

from __future__ import annotations

from pathlib import Path

from wirecost.data.recordings.connection import RecordingPart
from wirecost.system.plugins import load_plugin, plugin_facts

_FOLDER = Path(__file__).parent
MODULES: dict[str, str] = {
    suffix: module for module, suffix in plugin_facts(_FOLDER, "SUFFIX").items()
}
"""Modules by the suffix of the files that they read."""
NAMES: list[str] = list(plugin_facts(_FOLDER, "NAME").values())


def open_part(path: Path) -> RecordingPart:
    """Open a file of a suffix in ``MODULES``. Raises UserError."""
    part: RecordingPart = load_plugin(__name__, MODULES[path.suffix.lower()]).open_part(path)
    return part
