# SPDX-License-Identifier: Apache-2.0
"""Kinds of files that some command reads, by what their names and folders show.

``wirecost FILE`` runs the command of a kind that is quick and starts nothing; other commands name
it where they refuse the file. Schemas are not among them: whatever is unknown may be one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from wirecost.system.foreign import shell_line
from wirecost.system.plugins import plugin_facts

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings" / "formats"
MOST_FOLDERS = 1000
"""Folders below a folder in which a trace of LTTng is looked for."""


@dataclass(frozen=True)
class FileKind:
    """Files of one kind, and the commands that read them; ``{}`` in these is the file."""

    commands: tuple[str, ...]
    suffixes: tuple[str, ...] = ()
    """Suffixes of the file's name."""
    patterns: tuple[str, ...] = ()
    """Names of files, one of which the folder holds; behind ``**/`` in any folder below it."""
    answers: bool = False
    """Whether ``wirecost FILE`` runs the first command: it is quick and starts no program."""


KINDS = (
    # Before recordings: that command takes --type, where a trace of OSI does not show its type.
    FileKind(("trace info {}",), (".osi", ".txth"), answers=True),
    FileKind(
        ("cost {}",),
        tuple(plugin_facts(RECORDINGS, "SUFFIX").values()),
        tuple(chain.from_iterable(plugin_facts(RECORDINGS, "PATTERNS").values())),
        answers=True,
    ),
    FileKind(("results {}",), patterns=("meta.json", "journal.jsonl", "trial.json"), answers=True),
    FileKind(("replay {}",), patterns=("node.json",)),
    FileKind(
        ("probe show {}",),
        (".wprobe",),
        ("*.wprobe", "logs/*.wprobe", "**/metadata"),
        answers=True,
    ),
    FileKind(("bench codecs {}", "convert-cloud {} OUT.wcloud"), (".pcd", ".ply")),
    FileKind(("convert-cloud {} OUT.pcd",), (".wcloud",)),
    FileKind(("trace play TRACE --fmu {}",), (".fmu",)),
    FileKind(("compare {} OTHER", "log {}"), (".json",)),
    FileKind(("campaign plan {}",), (".toml",)),
)


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of a file or folder; None where no command but of schemas reads it."""
    if path.is_dir():
        kinds = (kind for kind in KINDS if any(_holds(path, name) for name in kind.patterns))
    else:
        kinds = (kind for kind in KINDS if path.suffix.lower() in kind.suffixes)
    return next(kinds, None)


def answering_command(path: Path) -> list[str]:
    """Return the words of the command that answers for a file at once; none if there is none."""
    kind = kind_of(path)
    return kind.commands[0].replace("{}", "").split() if kind and kind.answers else []


def reading_command(path: Path) -> str:
    """Return what reads a file or folder, as "`wirecost …` reads it"; nothing if none is known."""
    kind = kind_of(path)
    if kind is None:
        return ""
    commands = [f"`wirecost {text.replace('{}', shell_line(path))}`" for text in kind.commands]
    return f"{' or '.join(commands)} reads it"


def _holds(folder: Path, pattern: str) -> bool:
    try:
        if pattern.startswith("**/"):
            name = pattern.removeprefix("**/")
            return any(name in files for _, _, files in islice(os.walk(folder), MOST_FOLDERS))
        return next(folder.glob(pattern), None) is not None
    except OSError:
        return False
