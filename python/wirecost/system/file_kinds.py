# SPDX-License-Identifier: Apache-2.0
"""Kinds of files that some command reads, by what their names and folders show."""

from __future__ import annotations

from pathlib import Path

from wirecost.system.foreign import shell_line

CLOUD = "bench codecs {}` compares codecs of it; `wirecost convert-cloud {} OUT"
OF_SUFFIX = {
    ".pcd": CLOUD,
    ".ply": CLOUD,
    ".wcloud": "convert-cloud {} OUT.pcd",
    ".fmu": "trace play TRACE --fmu {}",
    ".wprobe": "probe show {}",
}
"""Arguments of the command that reads a file of this suffix; ``{}`` is the file."""
OF_FOLDER = {
    "**/*.wprobe": "probe show {}",
    "**/metadata": "probe show {}",
    "meta.json": "report {}",
    "node.json": "replay {}",
}
"""Arguments of the command that reads a folder with such a file in it."""


def reading_command(path: Path) -> str:
    """Return what reads a file or folder, as "`wirecost …` reads it"; nothing if none is known."""
    if path.is_dir():
        commands = (text for name, text in OF_FOLDER.items() if next(path.glob(name), None))
    else:
        commands = (text for text in [OF_SUFFIX.get(path.suffix.lower(), "")] if text)
    command = next(commands, "")
    return f"`wirecost {command.replace('{}', shell_line(path))}` reads it" if command else ""
