# SPDX-License-Identifier: Apache-2.0
"""Asks before a program is started that another user's recording contains."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.console import Console

from wirecost.errors import UserError
from wirecost.printable import printable
from wirecost.replay.play.foreign import Foreign

ORIGIN = "not a node that you ran and recorded on this machine"


def agree(console: Console, recording: Path, start: Foreign | None, yes: bool) -> None:
    """Returns if it may be started; ``start`` None: there is nothing to ask.

    Raises UserError where the user refuses, or cannot be asked.
    """
    if start is None or yes:
        return
    if not (sys.stdin.isatty() and console.is_terminal):
        raise UserError(
            f"{recording}: {ORIGIN}; inspect it, then add --yes to start {start.line()}"
        )
    first = f"{printable(str(recording))}: {ORIGIN}. Replaying it starts, with your rights:"
    for line in (first, *(f"  {one}" for one in start.lines())):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if not typer.confirm("Start it?", err=console.stderr):
        raise UserError(f"{recording}: not started")
