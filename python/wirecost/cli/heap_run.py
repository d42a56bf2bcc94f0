# SPDX-License-Identifier: Apache-2.0
"""``wirecost heap run``: run a program on memory that is touched before it is used."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path
from typing import Annotated

from wirecost.cli.groups import new_app
from wirecost.cli.options import Words, duration, option
from wirecost.cli.output_files import check_writable
from wirecost.observe.heap.launch import Options, environment, pool_bytes
from wirecost.system.errors import UserError

EXAMPLE = "wirecost heap run --pool 256MiB -- ./node"
WARMUP_S = 5.0
REPORT = Path("wirecost-heap.json")

app = new_app()


@app.command(context_settings={"allow_interspersed_args": False})
def command(
    words: Words,
    pool: Annotated[
        str,
        option(
            "Memory to touch at the start, such as 256MiB or 256MB; auto takes the size from "
            "--profile.",
            metavar="SIZE|auto",
        ),
    ] = "64MiB",
    profile: Annotated[
        Path,
        option(
            "With --pool auto: the report of an earlier run, which has the size.", metavar="FILE"
        ),
    ] = REPORT,
    lock: Annotated[
        bool, option("Lock the memory so that it is never swapped out.", "--lock")
    ] = False,
    huge: Annotated[bool, option("Request huge pages.", "--huge")] = False,
    report: Annotated[
        bool, option("Print a report of each thread when the program ends.", "--report")
    ] = False,
    out: Annotated[Path | None, option("Write the report as JSON.", metavar="FILE")] = None,
    warmup: Annotated[
        float,
        duration(
            "Count page faults only after this time.",
            "--warmup",
            default=WARMUP_S,
            may_be_zero=True,
        ),
    ] = WARMUP_S,
) -> None:
    """Run COMMAND with an allocator that causes no page faults in its steady state.

    To size the pool: run once with --out wirecost-heap.json, then with --pool auto.
    """
    if profile != REPORT and pool != "auto":
        raise UserError(f"--profile {profile}: needs --pool auto")
    options = Options(pool_bytes(pool, profile), lock, huge, report, out, ceil(warmup))
    check_writable("--out", out)
    try:
        os.execvpe(words[0], words, environment(options, os.environ))
    except OSError as error:
        raise UserError(
            f"{words[0]}: {error.strerror}; give the program to run after --"
        ) from error
