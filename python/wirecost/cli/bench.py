# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: a command for each scenario, found by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.groups import group
from wirecost.cli.lists import LISTS, scenario_modules
from wirecost.cli.options import option
from wirecost.system import scenarios

NAMES = sorted(scenarios.own_packages())
"""Scenarios of an installation, without those of further folders."""


def names() -> list[str]:
    """Return the names of all scenarios."""
    return list(scenario_modules())


app = group("bench")


def _look_in(folders: list[Path] | None) -> list[Path] | None:
    for folder in folders or ():
        scenarios.look_in(folder)
    return folders


@app.callback()
def options(
    from_: Annotated[
        list[Path] | None,
        option(
            LISTS["bench"].options["--from DIR"],
            "--from",
            metavar="DIR",
            is_eager=True,
            callback=_look_in,
        ),
    ] = None,
) -> None:
    """Do nothing: the scenarios were found when the option was read."""
    del from_
