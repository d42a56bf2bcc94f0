# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command."""

from __future__ import annotations

from typing import Annotated

import typer

from wirecost.cli import verbosity
from wirecost.cli.imported import imported
from wirecost.cli.options import option
from wirecost.system.file_kinds import answering_command
from wirecost.system.installation import installation

COMMANDS = (
    "cost",
    "compare",
    "compile",
    "record",
    "replay",
    "results",
    "report",
    "log",
    "doctor",
    "transports",
    "bench",
    "campaign",
    "trace",
    "columns",
    "convert-cloud",
    "heap",
    "probe",
)

SCHEMA = ("bench", "message")
"""The command for a file that is of no other kind."""

app = typer.Typer(
    cls=imported(
        "wirecost.cli.", *COMMANDS, for_files=lambda path: answering_command(path) or SCHEMA
    ),
    help="Measure what a message costs between components, and generate code that costs less.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    context: typer.Context,
    quiet: Annotated[
        bool, option("Print results and errors only, no progress.", "--quiet", "-q")
    ] = False,
    verbose: Annotated[bool, option("Show a traceback on errors.", "--verbose", "-v")] = False,
    version: Annotated[
        bool,
        option(
            "Print the version, the commit, the compiler and whether it is a wheel.", "--version"
        ),
    ] = False,
    cmake_dir: Annotated[
        bool,
        option("Print the folder of the CMake package (wirecost_DIR).", "--cmake-dir", hidden=True),
    ] = False,
    include_dir: Annotated[
        bool, option("Print the folder of the C and C++ headers.", "--include-dir", hidden=True)
    ] = False,
    pkgconfig_dir: Annotated[
        bool, option("Print the folder for PKG_CONFIG_PATH.", "--pkgconfig-dir", hidden=True)
    ] = False,
) -> None:
    verbosity.quiet, verbosity.verbose = quiet, verbose
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
