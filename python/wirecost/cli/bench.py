# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: a command for each scenario, found by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.imported import group
from wirecost.cli.options import option
from wirecost.system import scenarios

NAMES = sorted(scenarios.own_packages())
"""Scenarios of an installation, without those of further folders."""


def settings_modules() -> dict[str, str]:
    """Return the modules of scenarios that their folders declare, by the commands' names."""
    return {
        name.replace("_", "-"): f"{package}.settings"
        for name, package in sorted(scenarios.packages().items())
    }


def names() -> list[str]:
    """Return the names of all scenarios."""
    return list(settings_modules())


app = group(
    "Measure a scenario on this machine.",
    for_files=lambda _: ("message",),
    others=settings_modules,
)


def _look_in(folders: list[Path] | None) -> list[Path] | None:
    for folder in folders or ():
        scenarios.look_in(folder)
    return folders


@app.callback()
def options(
    from_: Annotated[
        list[Path] | None,
        option(
            "Also find scenarios in this folder, each in a folder of its own.",
            "--from",
            metavar="DIR",
            is_eager=True,
            callback=_look_in,
        ),
    ] = None,
) -> None:
    """Do nothing: the scenarios were found when the option was read."""
    del from_
