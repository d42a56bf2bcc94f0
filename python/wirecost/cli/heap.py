# SPDX-License-Identifier: Apache-2.0
"""``wirecost heap``: run a program on memory that is touched before it is used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from wirecost.errors import UserError
from wirecost.heap.launch import Options, environment, pool_bytes

app = typer.Typer(
    help="Keep page faults out of callbacks.", no_args_is_help=True, add_completion=False
)


@app.callback()
def heap() -> None:
    """Keep page faults out of callbacks."""


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND", help="What to run.")],
    pool: Annotated[
        str, typer.Option(metavar="SIZE|auto", help="Memory touched at the start; auto: see below.")
    ] = "64M",
    profile: Annotated[
        Path, typer.Option(metavar="FILE", help="Report of a former run, for --pool auto.")
    ] = Path("wirecost-heap.json"),
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock the memory, so none is swapped.")
    ] = False,
    huge: Annotated[bool, typer.Option("--huge", help="Ask for huge pages.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Print what each thread did when the program ends.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report there as JSON.")
    ] = None,
    warmup: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Seconds until the report counts faults.")
    ] = 5,
) -> None:
    """Run COMMAND with an allocator whose steady state takes no page fault.

    Profile once with --out wirecost-heap.json, then run with --pool auto.
    """
    options = Options(pool_bytes(pool, profile), lock, huge, report, out, warmup)
    if out is not None and not out.absolute().parent.is_dir():
        raise UserError(f"--out {out}: no such folder; make {out.absolute().parent} first")
    try:
        os.execvpe(command[0], command, environment(options, os.environ))
    except OSError as error:
        raise UserError(
            f"{command[0]}: {error.strerror}; name a program to run after --"
        ) from error
