# SPDX-License-Identifier: Apache-2.0
"""The templates of a language, and the form of what they print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


class Templates:
    """``<language>/templates``, whose filters are given by name."""

    def __init__(
        self,
        language: str,
        empty_lines: int = 1,
        behind_braces: bool = True,
        **filters: Callable[..., str],
    ) -> None:
        self._empty_lines, self._behind_braces = empty_lines, behind_braces
        self._environment = Environment(
            loader=FileSystemLoader(Path(__file__).parent / language / "templates"),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters |= filters

    def render(self, template: str, **context: object) -> str:
        text = self._environment.get_template(template).render(context)
        return tidy(text, self._empty_lines, self._behind_braces)


def tidy(text: str, empty_lines: int = 1, behind_braces: bool = True) -> str:
    """No blanks at line ends, no more than ``empty_lines`` empty lines in a row.

    None is at the beginning, at the end, before a closing brace nor, unless ``behind_braces``,
    behind an opening one.
    """
    kept: list[str] = []
    for line in map(str.rstrip, text.splitlines()):
        if line.lstrip() in ("}", "};"):
            while kept and not kept[-1]:
                kept.pop()
        elif not line:
            full = not kept or not any(kept[-empty_lines:])
            if full or (kept[-1].endswith("{") and not behind_braces):
                continue
        kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"
