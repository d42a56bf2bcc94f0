# SPDX-License-Identifier: Apache-2.0
"""``wirecost doctor``: is this machine quiet enough to measure on, and what to change."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.options import option
from wirecost.observe.doctor.check import Verdict
from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.repair import fix, undo
from wirecost.observe.doctor.state import state_file, take_over
from wirecost.observe.doctor.system import System
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.errors import UserError

EXAMPLE = "wirecost doctor --cpus 2,3 --noise 10"

FAILED = 2


def command(
    cpus: Annotated[
        str | None,
        option("CPUs to measure on, such as 2,8; default: the isolated ones.", metavar="LIST"),
    ] = None,
    every: Annotated[bool, option("Print every check, with its advice.", "--all")] = False,
    json_file: JsonFile = None,
    strict: Annotated[bool, option("Exit with status 2 if a check fails.", "--strict")] = (False),
    noise: Annotated[
        float | None,
        option("Measure noise: spin that long and report lost CPU time.", metavar="SECONDS"),
    ] = None,
    figure: Annotated[
        Path | None, option("Plot the noise as .svg, .png, .pdf or .html.", metavar="FILE")
    ] = None,
    prices: Annotated[
        bool, option("Measure what one fault, switch, migration, wait and call costs.", "--prices")
    ] = False,
    apply: Annotated[
        bool, option("Improve what can be changed now; the old values are saved.", "--fix")
    ] = False,
    take_back: Annotated[bool, option("Restore the values saved by --fix.", "--undo")] = False,
) -> None:
    """Check whether this machine is quiet, and what to change."""
    from wirecost.cli.doctor_tables import print_examination, print_faults, print_outcome

    if apply and take_back:
        raise UserError("--fix and --undo: choose one")
    if figure is not None:
        if noise is None:
            raise UserError(f"--figure {figure}: give --noise SECONDS as well")
        from wirecost.results.report.doctor import check_suffix

        check_suffix(figure)
        check_writable("--figure", figure)
    check_writable("--json", json_file)
    console = console_beside(json_file)
    examined = machine(System(), cpus)
    if apply or take_back:
        take_over(state_file())
    if apply:
        print_outcome(console, fix(examined, state_file()), "Nothing to fix without a reboot.")
        console.print(f"Old values are saved in {state_file()}", soft_wrap=True, highlight=False)
        console.print()
    if take_back:
        outcome = undo(examined.system, state_file())
        if outcome is None:
            console.print("Nothing to undo.")
        else:
            print_outcome(console, outcome, "All values were already as before.")
        console.print()
    # Read again: a fix changes what the first examination read.
    examination = examine(machine(System(), cpus))
    (print_examination if every else print_faults)(console, examination)
    document = examination.document()
    if noise is not None:
        from wirecost.observe.doctor.noise import measure_noise
        from wirecost.results.report.doctor import noise_table, write_noise_figure

        spun = measure_noise(machine(System(), cpus), noise)
        document["noise"] = [asdict(row) for row in spun]
        console.print()
        print_table(console, noise_table(spun))
        if figure is not None:
            write_noise_figure(spun, figure)
    if prices:
        import msgspec

        from wirecost.observe.doctor.prices import measure_prices
        from wirecost.results.report.doctor import price_table

        priced = measure_prices()
        document["prices"] = msgspec.to_builtins(priced)
        console.print()
        print_table(console, price_table(priced))
    write_json(json_file, document)
    if strict and examination.verdict is Verdict.FAIL:
        raise typer.Exit(FAILED)
