# SPDX-License-Identifier: Apache-2.0
"""Text of unknown origin on a page: nothing of it directs the browser, none of it is endless."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup, escape

from wirecost.system.foreign import printable, without_middle

LONGEST_WORD = 120
"""Characters; longer words lose their middle."""
LONGEST_IN_FIGURE = 300
"""Characters of a name; to measure longer ones takes seconds."""
DIGITS = 7
"""Digits of a number in a figure: hundreds of times what a pixel shows."""
EXPRESSIONS = {"labelExpr", "expr", "filter", "calculate", "test"}
"""Expressions that Vega computes; nothing of them is shown as it is."""
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]{0,30}(?![a-z-])")
"""Option of a command that fits into the line of a phone."""
LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Blocks of scripts that are written from right to left (Unicode's Bidi_Class R and AL)."""
LEFTWARD_WORDS = re.compile(rf"\S*[{LEFTWARD}]\S*(?:\s+\S*[{LEFTWARD}]\S*)*")


def plain(text: object) -> str:
    """Return text for places that hold text alone, such as the page's title."""
    line = printable(str(text))
    return LONG_WORD.sub(lambda found: without_middle(found[0], LONGEST_WORD), line)


def on_page(value: Any) -> Any:
    """Return what a template writes: words from right to left turn nothing beside them."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    text = plain(value)
    if not LEFTWARD_WORDS.search(text):
        return text
    parts, end = [], 0
    for word in LEFTWARD_WORDS.finditer(text):
        parts += [escape(text[end : word.start()]), Markup("<bdi>%s</bdi>") % word[0]]
        end = word.end()
    return Markup("").join([*parts, escape(text[end:])])


def with_code(text: str) -> Markup:
    """Return prose whose parts between backquotes are commands or names."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = [text]
    return Markup("").join(
        Markup("<code>%s</code>") % _unbroken(part) if at % 2 else _unbroken(part)
        for at, part in enumerate(parts)
    )


def _unbroken(text: str) -> Markup:
    """Return text whose options stay in one line each."""
    # Joined as a str: what joins Markup would escape the elements.
    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', str(escape(on_page(text)))))


def in_figure(specification: Any, key: str = "") -> Any:
    """Return a figure's specification with all texts printable and none of them endless.

    Numbers are no longer than they are read; drawing cuts what remains to the room there is.
    """
    if isinstance(specification, float):
        return float(f"{specification:.{DIGITS}g}")
    if isinstance(specification, str):
        if key in EXPRESSIONS:
            return specification
        return without_middle(printable(specification), LONGEST_IN_FIGURE)
    if isinstance(specification, list):
        return [in_figure(part, key) for part in specification]
    if isinstance(specification, dict):
        return {name: in_figure(part, name) for name, part in specification.items()}
    return specification
