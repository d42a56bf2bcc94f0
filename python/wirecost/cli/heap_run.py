# SPDX-License-Identifier: Apache-2.0
"""``wirecost heap run``: run a program on memory that is touched before it is used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from wirecost.cli.groups import new_app
from wirecost.cli.options import Words, option
from wirecost.cli.output_files import check_writable
from wirecost.observe.heap.launch import Options, environment, pool_bytes
from wirecost.system.errors import UserError

EXAMPLE = "wirecost heap run --pool 256MiB -- ./node"

app = new_app()


@app.command(context_settings={"allow_interspersed_args": False})
def command(
    words: Words,
    pool: Annotated[
        str,
        option(
            "Memory to touch at the start, such as 256MiB (1,024) or 256M (1,000); auto: as "
            "--profile requires.",
            metavar="SIZE|auto",
        ),
    ] = "64MiB",
    profile: Annotated[
        Path, option("Report of an earlier run, for --pool auto.", metavar="FILE")
    ] = Path("wirecost-heap.json"),
    lock: Annotated[
        bool, option("Lock the memory, so that none is swapped out.", "--lock")
    ] = False,
    huge: Annotated[bool, option("Request huge pages.", "--huge")] = False,
    report: Annotated[
        bool, option("Print a report for each thread when the program ends.", "--report")
    ] = False,
    out: Annotated[Path | None, option("Write the report as JSON.", metavar="FILE")] = None,
    warmup: Annotated[
        int,
        option("Faults are counted only after this time.", metavar="SECONDS", min=0, max=1_000_000),
    ] = 5,
) -> None:
    """Run COMMAND with an allocator that causes no page faults in its steady state.

    To size the pool: run once with --out wirecost-heap.json, then with --pool auto.
    """
    options = Options(pool_bytes(pool, profile), lock, huge, report, out, warmup)
    check_writable("--out", out)
    try:
        os.execvpe(words[0], words, environment(options, os.environ))
    except OSError as error:
        raise UserError(
            f"{words[0]}: {error.strerror}; give the program to run after --"
        ) from error
