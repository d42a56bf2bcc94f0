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
from wirecost.report.shared.bars import with_bars
from wirecost.report.shared.datasets import with_data_once
from wirecost.report.shared.figure import Figure, themed
from wirecost.report.shared.page_text import on_page, plain
from wirecost.report.shared.stills import still_figures

MOST_BUNDLE = 16 << 20
"""Bytes; it has one million."""
MOST_PAGE = 400_000
"""Bytes, without the figures' library."""
REPEATED = {"config", "$schema"}
"""Entries of a specification that are the same in all of a page."""


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
    ``stills``: for browsers without scripts also as they are, those for which a page of
    ``MOST_PAGE`` bytes has room."""
    environment = Environment(
        loader=PackageLoader("wirecost.report", "templates"),
        autoescape=True,
        finalize=on_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: escape(plain(text))
    environment.filters["with_bars"] = with_bars
    specifications = [themed(figure.chart, "currentColor") for figure in drawn]
    configuration = specifications[0]["config"] if specifications else {}
    shown = [
        with_data_once({key: one[key] for key in one if key not in REPEATED})
        for one in specifications
    ]
    content |= {
        "specifications": Markup(script_json(shown)),
        "configuration": Markup(script_json(configuration)),
    }
    kept: list[Markup] = []
    environment.globals["still"] = lambda number: kept[number] if number < len(kept) else ""
    made = environment.get_template(template)
    if stills:
        kept += still_figures(specifications, MOST_PAGE - _bytes(made.render(bundle="", **content)))
    return made.render(bundle=bundle(), **content)


def _bytes(text: str) -> int:
    return len(text.encode())


def script_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json_document.text(value, indent=None).replace("<", "\\u003c")
