# SPDX-License-Identifier: Apache-2.0
"""``--remedies``, for commands that try them."""

from __future__ import annotations

from typing import Annotated

from wirecost.cli.options import option
from wirecost.observe.trial.remedy import all_remedies

_NAMES = tuple(remedy.name for remedy in all_remedies())
Remedies = Annotated[
    str | None,
    option(
        f"Comma-separated, of {', '.join(_NAMES)}; default: all.", metavar="NAMES", known=_NAMES
    ),
]
