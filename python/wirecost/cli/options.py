# SPDX-License-Identifier: Apache-2.0
"""Declaration of options and arguments, and of those that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from wirecost.data.recordings import formats
from wirecost.system.byte_sizes import SIZE, parse_size
from wirecost.system.durations import TIME, seconds, spelled
from wirecost.system.errors import UserError
from wirecost.system.lengths import LENGTH, metres

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


def duration(
    text: str,
    *names: str,
    default: float | None = None,
    unit: str = "s",
    may_be_zero: bool = False,
) -> Any:
    """Declare an option whose value is a time, in seconds, such as ``10s`` or ``500ms``."""

    def parse(given: object) -> float:
        return seconds(names[-1], str(given), unit, may_be_zero)

    if default is not None:
        text = f"{text.removesuffix('.')}; default: {spelled(default)}."
    return option(text, *names, metavar=TIME, parser=parse, show_default=False)


def size(text: str, name: str, shown: str) -> Any:
    """Declare an option whose value is a size, in bytes, such as ``2MB`` or ``64KiB``."""

    def parse(given: object) -> int:
        return parse_size(name, str(given))

    text = f"{text.removesuffix('.')}; default: {shown}."
    return option(text, name, metavar=SIZE, parser=parse, show_default=False)


def length(text: str, name: str) -> Any:
    """Declare an option whose value is a length, in metres, such as ``1mm`` or ``0.001``."""

    def parse(given: str) -> float:
        return metres(name, given)

    return option(text, name, metavar=LENGTH, parser=parse)


def reductions(given: Iterable[str] | None) -> tuple[str, ...]:
    """Return values of ``--reduce`` whose lengths, as in ``x=error:1mm``, are in metres."""
    parts = (text.rpartition("=error:") for text in given or ())
    return tuple(
        f"{where}{how}{metres('--reduce', value)!r}"
        if value[-1:].isalpha() and how
        else where + how + value
        for where, how, value in parts
    )


def each(given: Iterable[str] | None) -> tuple[str, ...]:
    """Return names that are separated by commas, in options that may be repeated."""
    return tuple(name for text in given or () for name in text.split(","))


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
