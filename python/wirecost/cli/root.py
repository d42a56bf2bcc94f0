# SPDX-License-Identifier: Apache-2.0
"""``wirecost``: the application, with what stands before a command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wirecost.cli import lists, verbosity
from wirecost.cli.groups import new_app, type_of_group
from wirecost.cli.options import option

app = new_app(
    cls=type_of_group(lists.ROOT),
    help=lists.LISTS[lists.ROOT].about,
    add_completion=True,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _flag(name: str) -> Any:
    names, about = lists.FLAGS[name]
    return option(about, *names.split(", "))


def _folder(name: str) -> Any:
    return option("Print where a build finds this installation.", name, hidden=True)


@app.callback()
def options(
    context: typer.Context,
    quiet: Annotated[bool, _flag("quiet")] = False,
    verbose: Annotated[bool, _flag("verbose")] = False,
    version: Annotated[bool, _flag("version")] = False,
    cmake_dir: Annotated[bool, _folder("--cmake-dir")] = False,
    include_dir: Annotated[bool, _folder("--include-dir")] = False,
    pkgconfig_dir: Annotated[bool, _folder("--pkgconfig-dir")] = False,
) -> None:
    """Answer what no command is needed for."""
    verbosity.quiet, verbosity.verbose = quiet, verbose
    if context.invoked_subcommand is not None:
        return
    flags = zip(
        ("--version", *lists.FOLDERS), (version, cmake_dir, include_dir, pkgconfig_dir), strict=True
    )
    print(lists.answer([name for name, is_given in flags if is_given][:1]))
