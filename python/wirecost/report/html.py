# SPDX-License-Identifier: Apache-2.0
"""The HTML page: one file that works offline, in light and dark."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert as vlc
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wirecost.analysis.summary import Row
from wirecost.errors import UserError
from wirecost.private import home, private_folder, read_private, write_private
from wirecost.records import json_document
from wirecost.records.folder import Results
from wirecost.report import units
from wirecost.report.failures import not_measured
from wirecost.report.figures import Figure, themed
from wirecost.report.scenarios import content_of

MOST_BUNDLE = 16 << 20
"""Bytes; it has one million."""


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


def page(results: Results, rows: list[Row], figures: list[Figure]) -> str:
    environment = Environment(
        loader=PackageLoader("wirecost.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    content = content_of(results, rows)
    return environment.get_template("report.html.j2").render(
        meta=results.meta,
        content=content,
        figures=figures,
        specifications=Markup(script_json([themed(f.chart, "currentColor") for f in figures])),
        failures=not_measured(results.meta),
        environment=_environment(results.meta),
        bundle=bundle(),
    )


def script_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json_document.text(value, indent=None).replace("<", "\\u003c")


def _environment(meta: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for key, value in meta["environment"].items():
        name = key.removesuffix("_bytes").removesuffix("_ns").replace("_", " ")
        rows.append((name, _told(key, value)))
    libraries = dict.fromkeys(about["library"] for about in meta["contenders"].values())
    rows.append(("libraries", ", ".join(libraries)))
    return rows


def _told(key: str, value: Any) -> str:
    if value is None:
        return "n/a"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {entry}" for name, entry in value.items())
    if key.endswith("_bytes") and isinstance(value, int):
        return units.size(value)
    if key.endswith("_ns") and isinstance(value, int | float):
        return units.time(value)
    return str(value)
