# SPDX-License-Identifier: Apache-2.0
"""Parse command lines without running them: a program for the Python of an installation.

Reads a JSON list of ``[arguments, is mention]`` from standard input, and writes for each what is
wrong with it, or null. A mention may lack arguments and an option's value, and have NAMES."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import typer

from wirecost.cli import app


def fault(words: list[str], is_mention: bool) -> str | None:
    """Return why the command line is refused before it does anything."""
    if is_mention:
        words = [re.sub("^[A-Z]+$", "1", word) for word in words]
    if words and re.search(r"\w\.\w+$", words[0]):
        Path(words[0]).touch()  # a file alone is answered by its command
    try:
        _parse(typer.main.get_command(app), "wirecost", words, None)
    except Exception as error:
        kind = type(error).__name__
        is_refused = kind not in {"MissingParameter", "BadOptionUsage", "UserError"}
        if kind != "Exit" and (is_refused or not is_mention):
            return getattr(error, "message", None) or str(error) or repr(error)
    return None


def _parse(command: Any, name: str, words: list[str], parent: Any) -> None:
    if hasattr(command, "list_commands"):
        if not words or words[0] == "--help":
            return
        with command.make_context(name, words, parent=parent, resilient_parsing=False) as context:
            rest = [*context._protected_args, *context.args]
            if rest:
                below, found, rest = command.resolve_command(context, rest)
                _parse(found, below, rest, context)
    elif words:  # A command that is only named needs no arguments.
        with command.make_context(name, words, parent=parent):
            pass


print(json.dumps([fault(*line) for line in json.load(sys.stdin)]))
