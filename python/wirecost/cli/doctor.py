# SPDX-License-Identifier: Apache-2.0
"""``wirecost doctor``: is this machine quiet enough to measure on, and what to change."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from wirecost.cli.doctor_tables import print_examination, print_outcome
from wirecost.doctor.check import Verdict
from wirecost.doctor.examine import examine
from wirecost.doctor.machine import machine
from wirecost.doctor.noise import measure_noise
from wirecost.doctor.repair import fix, undo
from wirecost.doctor.state import state_file, take_over
from wirecost.doctor.system import System
from wirecost.errors import UserError
from wirecost.report.noise.figure import check_suffix, write_noise_figure
from wirecost.report.noise.table import noise_table
from wirecost.report.shared.terminal import print_table

FAILED = 2


def command(
    cpus: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="CPUs to measure on, like 2,8 [default: isolated ones]."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the checks as JSON, - for stdout."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 2 when a check fails.")] = (
        False
    ),
    noise: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Spin on each CPU that long and tell what was taken from it."
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the noise: .svg, .png, .pdf or .html."),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--fix", help="Change what can be changed now; keep the former values.")
    ] = False,
    take_back: Annotated[
        bool, typer.Option("--undo", help="Restore the values from before --fix.")
    ] = False,
) -> None:
    """Tell whether this machine is quiet enough to measure on, and what to change."""
    if apply and take_back:
        raise UserError("--fix --undo: give one of them")
    if figure is not None:
        if noise is None:
            raise UserError(f"--figure {figure}: give --noise SECONDS, which it shows")
        check_suffix(figure)
    to_stdout = json_file == Path("-")
    console = Console(stderr=to_stdout)
    examined = machine(System(), cpus)
    if apply or take_back:
        take_over(state_file())
    if apply:
        print_outcome(console, fix(examined, state_file()), "Nothing to fix at run time.")
        console.print(f"Former values: {state_file()}", soft_wrap=True, highlight=False)
        console.print()
    if take_back:
        outcome = undo(examined.system, state_file())
        if outcome is None:
            console.print("Nothing to undo.")
        else:
            print_outcome(console, outcome, "Everything was as before already.")
        console.print()
    # Read anew: a fix changes what the first look remembers.
    examination = examine(machine(System(), cpus))
    print_examination(console, examination)
    document = examination.document()
    if noise is not None:
        document["noise"] = [asdict(one) for one in measure_noise(machine(System(), cpus), noise)]
        console.print()
        print_table(console, noise_table(document["noise"]))
        if figure is not None:
            write_noise_figure(document["noise"], figure)
    if json_file is not None:
        _write_json(json_file, document)
    if strict and examination.verdict is Verdict.FAIL:
        raise typer.Exit(FAILED)


def _write_json(path: Path, document: dict[str, Any]) -> None:
    text = json.dumps(document, indent=2) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error
