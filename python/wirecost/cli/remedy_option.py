# SPDX-License-Identifier: Apache-2.0
"""``--remedies``, for commands that try them."""

from __future__ import annotations

from typing import Annotated

import typer

from wirecost.cli.choices import completing
from wirecost.trial.remedy import all_remedies

_NAMES = tuple(one.name for one in all_remedies())
Remedies = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help=f"Comma-separated, of {', '.join(_NAMES)}; default: all.",
        autocompletion=completing(_NAMES),
    ),
]
