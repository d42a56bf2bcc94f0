# SPDX-License-Identifier: Apache-2.0
"""Declaration of options and arguments, and of those that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from wirecost.data.recordings import formats
from wirecost.system.errors import UserError

Names = Iterable[str] | Callable[[], Iterable[str]]
"""Names, or a function that finds them where that takes imports, which help can do without."""


def option(text: str, *names: str, known: Names | None = None, **settings: Any) -> Any:
    """Declare an option by its help, and its names where they are not the parameter's.

    ``known`` completes the last name of a comma-separated list. ``settings`` are Typer's.
    """
    return typer.Option(*names, help=text, autocompletion=_completion(known), **settings)


def argument(metavar: str, text: str, known: Names | None = None, **settings: Any) -> Any:
    """Declare an argument by what it is called in the help, and by its help."""
    completion = _completion(known)
    return typer.Argument(metavar=metavar, help=text, autocompletion=completion, **settings)


@dataclass(frozen=True)
class RecordingPath:
    """Mark of a parameter's annotation: it names a recording, of any format that there is.

    ``takes``: what the command's line says that it takes, where it refuses a recording; empty where
    it answers for each format.
    """

    takes: str = ""


RECORDINGS = ", ".join(formats.NAMES.values())
"""Formats of recordings, for help."""


def _completion(known: Names | None) -> Callable[[str], list[str]] | None:
    """Return a function for shell completion of the last name in a list."""
    if known is None:
        return None

    def complete(incomplete: str) -> list[str]:
        head, comma, last = incomplete.rpartition(",")
        names = known() if callable(known) else known
        return [head + comma + name for name in names if name.startswith(last)]

    return complete


Words = Annotated[list[str], argument("-- COMMAND", "The program to run and its arguments.")]
Store = Annotated[str, argument("STORE", "The store of a campaign.")]


def numbers(name: str, text: str) -> list[int]:
    """Parse whole numbers, each once. Raises UserError."""
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise UserError(f"{name} {text}: give whole numbers, separated by commas") from None


def transport_names() -> list[str]:
    """Return the transports' names, which only their modules have."""
    from wirecost.messaging.transport import names

    return names()
