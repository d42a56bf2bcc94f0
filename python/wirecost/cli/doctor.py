# SPDX-License-Identifier: Apache-2.0
"""``wirecost doctor``: is this machine quiet enough to measure on, and what to change."""

from __future__ import annotations

from typing import Annotated

from wirecost.cli.ending import answering
from wirecost.cli.options import duration, option
from wirecost.observe.doctor.check import Verdict
from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System
from wirecost.observe.doctor.repair import fix, undo
from wirecost.observe.doctor.state import state_file, take_over
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

EXAMPLE = "wirecost doctor --cpus 2,3 --noise 10"

FAILED = 2


@answering()
def command(
    cpus: Annotated[
        str | None,
        option(
            "CPUs to measure on, such as 2,8; default: the isolated ones, or the last.",
            metavar="LIST",
        ),
    ] = None,
    strict: Annotated[bool, option("Exit with status 2 if a check fails.", "--strict")] = (False),
    noise: Annotated[
        float | None,
        duration(
            "Measure noise: spin for that long and report the CPU time that was lost.", "--noise"
        ),
    ] = None,
    prices: Annotated[
        bool,
        option(
            "Measure what one page fault, context switch, migration, wait and system call costs.",
            "--prices",
        ),
    ] = False,
    apply: Annotated[
        bool,
        option("Change the settings that can be changed now; the old values are saved.", "--fix"),
    ] = False,
    take_back: Annotated[bool, option("Restore the values saved by --fix.", "--undo")] = False,
) -> Answer:
    """Check whether this machine is quiet, and what to change."""
    from wirecost.cli.doctor_answer import doctor_answer, outcome_lines

    if apply and take_back:
        raise UserError("--fix and --undo: choose one")
    examined = machine(System(), cpus)
    changes: list[str] = []
    if apply or take_back:
        take_over(state_file())
    if apply:
        changes = outcome_lines(
            fix(examined, state_file()), "Nothing can be fixed without a reboot."
        )
        changes.append(f"Old values are saved in {state_file()}")
    if take_back:
        outcome = undo(examined.system, state_file())
        changes = ["There is nothing to undo."]
        if outcome is not None:
            changes = outcome_lines(outcome, "All values were already restored.")
    # Read again: a fix changes what the first examination read.
    examination = examine(machine(System(), cpus))
    spun = priced = None
    if noise is not None:
        from wirecost.observe.doctor.noise import measure_noise

        spun = measure_noise(machine(System(), cpus), noise)
    if prices:
        from wirecost.observe.doctor.prices import measure_prices

        priced = measure_prices()
    status = FAILED if strict and examination.verdict is Verdict.FAIL else 0
    return doctor_answer(examination, changes, spun, priced, status)
