# SPDX-License-Identifier: Apache-2.0
"""The terminal: prints texts of unknown origin as they are, whatever they look like."""

from __future__ import annotations

from typing import Any

import rich.console
from rich.text import Text

from wirecost.system.foreign import printable


class Console(rich.console.Console):
    """Terminal on which names from files and programs are safe to print.

    Brackets are no markup, numbers get no colour, and what a terminal would obey is visible.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "highlight": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text for the terminal; Rich calls this for each string it prints."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)
