# SPDX-License-Identifier: Apache-2.0
"""HTML pages: one file each that works offline, in light and dark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert as vlc
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wirecost.errors import UserError
from wirecost.private import home, private_folder, read_private, write_private
from wirecost.records import json_document
from wirecost.report.shared.figure import Figure, themed
from wirecost.report.shared.page_text import on_page, plain

MOST_BUNDLE = 16 << 20
"""Bytes; it has one million."""
MOST_STILLS = 300_000


@cache
def bundle() -> Markup:
    """Vega, Vega-Lite and their embedder, for a script element.

    Making it takes a second and a half; it is kept in the user's cache for the next report.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    caches = Path(named) if named.startswith("/") else home() / ".cache"
    kept = caches / "wirecost" / f"vega-{version('vl-convert-python')}.js"
    # What runs in the page must be nobody else's: with sudo, the cache may be.
    with suppress(UserError, ValueError):
        if content := read_private(kept, MOST_BUNDLE):
            return Markup(content.decode())
    source = vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    source = source.replace("</script", "<\\/script")
    with suppress(OSError, UserError):  # without a cache every report makes its own
        write_private(private_folder(kept.parent) / kept.name, source.encode())
    return Markup(source)


def render(template: str, drawn: Sequence[Figure], stills: bool = False, **content: Any) -> str:
    """A page. ``template``: a file of ``templates``; ``drawn``: its figures, by their numbers;
    ``stills``: for browsers without scripts also as they are, up to ``MOST_STILLS`` bytes."""
    environment = Environment(
        loader=PackageLoader("wirecost.report", "templates"),
        autoescape=True,
        finalize=on_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: escape(plain(text))
    specifications = [themed(figure.chart, "currentColor") for figure in drawn]
    kept = _stills(specifications) if stills else []
    environment.globals["still"] = lambda number: kept[number] if number < len(kept) else ""
    return environment.get_template(template).render(
        specifications=Markup(script_json(specifications)), bundle=bundle(), **content
    )


def _stills(specifications: Sequence[dict[str, Any]]) -> list[Markup]:
    """The figures as SVG, from the first one on as many as there is room for."""
    kept: list[Markup] = []
    room = MOST_STILLS
    for specification in specifications:
        drawn = vlc.vegalite_to_svg(specification)
        room -= len(drawn)
        if room < 0:
            break
        kept.append(Markup(drawn))
    return kept


def script_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json_document.text(value, indent=None).replace("<", "\\u003c")
