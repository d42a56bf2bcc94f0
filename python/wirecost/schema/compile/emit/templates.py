# SPDX-License-Identifier: Apache-2.0
"""Templates of source text, and the form of what they print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


class Templates:
    """Templates of a folder, with filters by name."""

    def __init__(
        self,
        folder: Path,
        empty_lines: int = 1,
        behind_braces: bool = True,
        **filters: Callable[..., str],
    ) -> None:
        self._empty_lines, self._behind_braces = empty_lines, behind_braces
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters |= filters

    def render(self, template: str, **context: object) -> str:
        """Return the text that a template prints for a context."""
        text = self._environment.get_template(template).render(context)
        return tidy(text, self._empty_lines, self._behind_braces)


def tidy(text: str, empty_lines: int = 1, behind_braces: bool = True) -> str:
    """Remove blanks at line ends, and empty lines beyond ``empty_lines`` in a row.

    None stays at the beginning, at the end, before a closing brace nor, unless ``behind_braces``,
    behind an opening one.
    """
    tidied: list[str] = []
    for line in map(str.rstrip, text.splitlines()):
        if line.lstrip() in ("}", "};"):
            while tidied and not tidied[-1]:
                tidied.pop()
        elif not line:
            full = not tidied or not any(tidied[-empty_lines:])
            if full or (tidied[-1].endswith("{") and not behind_braces):
                continue
        tidied.append(line)
    return "\n".join(tidied).rstrip("\n") + "\n"
