# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Annotated

import typer

from wirecost.cli.imported import imported
from wirecost.errors import UserError
from wirecost.installation import installation
from wirecost.interruption import watched
from wirecost.printable import printable

COMMANDS = (
    "compare",
    "compile",
    "record",
    "replay",
    "report",
    "log",
    "doctor",
    "transports",
    "bench",
    "trace",
    "columns",
    "heap",
    "probe",
)

app = typer.Typer(
    cls=imported("wirecost.cli.", *COMMANDS),
    help="What a message costs from one component to the next, and how to make it cheap.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print version, commit, compiler, and whether from a wheel or a checkout.",
        ),
    ] = False,
    cmake_dir: Annotated[
        bool,
        typer.Option("--cmake-dir", help="Print the folder of the CMake package (wirecost_DIR)."),
    ] = False,
    include_dir: Annotated[
        bool, typer.Option("--include-dir", help="Print the folder of the C and C++ headers.")
    ] = False,
    pkgconfig_dir: Annotated[
        bool, typer.Option("--pkgconfig-dir", help="Print the folder for PKG_CONFIG_PATH.")
    ] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if version:
        print(installation())
    elif cmake_dir:
        print(installation().cmake)
    elif include_dir:
        print(installation().include)
    elif pkgconfig_dir:
        print(installation().pkgconfig)
    else:
        print(context.get_help())


def main() -> None:
    with watched() as watch:
        try:
            app()
        except UserError as error:
            _say(str(error))
            sys.exit(error.status)
        except SystemExit as error:
            # So Typer ends a command that left a signal to it.
            if watch.seen is None or error.code not in (1, 130):
                raise
            _say(f"interrupted by {watch.seen.number.name}")
            sys.exit(watch.seen.status)


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal may be gone, and SIGHUP have said so
        print(f"wirecost: {printable(line)}", file=sys.stderr)
