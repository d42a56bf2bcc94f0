# SPDX-License-Identifier: Apache-2.0
"""Figures as they are, for browsers without scripts: SVG within the page, as short as it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import vl_convert as vlc
from markupsafe import Markup

REPEATED = re.compile(r' (?:aria-[a-z]+|role|class)="[^"]*"')
"""What describes each mark by itself; the caption describes the figure."""
PLACES = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
DECIMALS = re.compile(r"(\.\d)\d+")
TAGS = re.compile(r"<[^>]*>")


def still_figures(specifications: Sequence[dict[str, Any]], room: int) -> list[Markup]:
    """SVG of the figures, in all at most ``room`` bytes; empty where one has no room."""
    kept: list[Markup] = []
    for specification in specifications:
        drawn = shortened_svg(vlc.vegalite_to_svg(specification))
        size = len(drawn.encode())
        kept.append(Markup(drawn if size <= room else ""))
        room -= size if size <= room else 0
    return kept


def shortened_svg(svg: str) -> str:
    """The same picture, to a tenth of a pixel; within a text nothing changes."""
    return TAGS.sub(lambda tag: _shortened(tag[0]), svg)


def _shortened(tag: str) -> str:
    return PLACES.sub(lambda place: DECIMALS.sub(r"\1", place[0]), REPEATED.sub("", tag))
