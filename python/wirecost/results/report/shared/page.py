# SPDX-License-Identifier: Apache-2.0
"""HTML pages: one file each that works offline, in light and dark."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wirecost.results.records import json_document
from wirecost.results.report.shared.answer import Answer, split_step
from wirecost.results.report.shared.axes import Mark
from wirecost.results.report.shared.figure import Figure, Specification, themed
from wirecost.results.report.shared.page_text import on_page, plain, with_code
from wirecost.results.report.shared.table import with_bars
from wirecost.system.extras import DRAWING, is_installed
from wirecost.system.installation import installation

TEMPLATE = "answer.html.j2"
MOST_PAGE = 400_000
"""Bytes, without the figures' library."""
REPEATED = {"config", "$schema"}
"""Entries of a specification that are the same in all of a page."""
LEAST_DATA = 100
"""Characters of a figure's data that are worth a name."""
DESCRIPTIONS = re.compile(r' (?:aria-[a-z]+|role|class)="[^"]*"')
"""Descriptions of each mark of a drawn figure by itself; the caption describes the figure."""
PLACES = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
DECIMALS = re.compile(r"(\.\d)\d+")
TAGS = re.compile(r"<[^>]*>")


@cache
def bundle() -> Markup:
    """Return Vega, Vega-Lite and their embedder, for a script element, as the build wrote them."""
    return Markup((installation().folder / "vega.js").read_text(encoding="utf-8"))


def page(answer: Answer, stills: bool = False) -> str:
    """Return an answer as one file that works offline, in light and dark.

    ``stills``: figures also as they are, for browsers without scripts, if the extra ``figures`` is
    installed; slow.
    """
    figures = answer.figures(False)
    groups: dict[str, list[tuple[int, Figure]]] = {}
    for number, figure in enumerate(figures):
        groups.setdefault(figure.group, []).append((number, figure))
    sections = answer.parts()
    return _rendered(
        figures,
        stills,
        answer=answer,
        sections=sections,
        headed=[
            (number, section.title)
            for number, section in enumerate(sections)
            if section.title and not section.is_folded
        ],
        first=groups.pop("", []),
        groups=list(groups.items()),
    )


def _rendered(drawn: Sequence[Figure], stills: bool, **content: Any) -> str:
    """Return the page of the template.

    ``drawn``: figures, by their numbers; ``stills``: for browsers without scripts also as they are,
    those for which a page of ``MOST_PAGE`` bytes has room.
    """
    environment = Environment(
        loader=PackageLoader("wirecost.results.report", "templates"),
        autoescape=True,
        finalize=on_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: escape(plain(text))
    environment.filters["with_bars"] = with_bars
    environment.filters["with_code"] = with_code
    environment.filters["joined"] = joined_notes
    environment.filters["split_step"] = split_step
    specifications = [themed(figure.chart, "currentColor") for figure in drawn]
    configuration = specifications[0]["config"] if specifications else {}
    embedded = [
        with_data_once({key: specification[key] for key in specification if key not in REPEATED})
        for specification in specifications
    ]
    content |= {
        "specifications": Markup(script_json(embedded)),
        "configuration": Markup(script_json(configuration)),
    }
    pictures: list[Markup] = []
    environment.globals["still"] = lambda number: pictures[number] if number < len(pictures) else ""
    template = environment.get_template(TEMPLATE)
    if stills and is_installed(DRAWING):
        pictures += still_figures(
            specifications, MOST_PAGE - _bytes(template.render(bundle="", **content))
        )
    return template.render(bundle=bundle(), **content)


def joined_notes(notes: Sequence[str]) -> str:
    """Return notes in one line: sentences one after the other, others with a dot between."""
    return (" " if all(note.endswith(".") for note in notes[:-1]) else " · ").join(notes)


def with_data_once(specification: Specification) -> Specification:
    """Return the specification with its inline data by name, in Vega-Lite's ``datasets``.

    Data that several layers of a figure draw stand there once.
    """
    names: dict[str, str] = {}
    datasets: dict[str, list[Mark]] = {}

    def with_names(part: Any) -> Any:
        if isinstance(part, list):
            return [with_names(entry) for entry in part]
        if not isinstance(part, dict):
            return part
        if set(part) == {"values"} and _are_rows(part["values"]):
            text = json.dumps(part["values"])
            if len(text) >= LEAST_DATA:
                name = names.setdefault(text, f"d{len(names)}")
                datasets[name] = part["values"]
                return {"name": name}
        return {key: with_names(entry) for key, entry in part.items()}

    shared: Specification = with_names(specification)
    return shared | {"datasets": datasets} if datasets else shared


def _are_rows(values: Any) -> bool:
    """Distinguish a chart's data from the values of an axis."""
    return isinstance(values, list) and all(isinstance(value, dict) for value in values)


def still_figures(specifications: Sequence[Specification], room: int) -> list[Markup]:
    """Return SVG of the figures, in all at most ``room`` bytes; empty where one has no room."""
    import vl_convert as vlc  # noqa: PLC0415 - of an extra

    stills: list[Markup] = []
    for specification in specifications:
        svg = shortened_svg(vlc.vegalite_to_svg(specification))
        size = _bytes(svg)
        stills.append(Markup(svg if size <= room else ""))
        room -= size if size <= room else 0
    return stills


def shortened_svg(svg: str) -> str:
    """Return the same picture, to a tenth of a pixel; within a text nothing changes."""
    return TAGS.sub(lambda tag: _shortened(tag[0]), svg)


def _shortened(tag: str) -> str:
    return PLACES.sub(lambda place: DECIMALS.sub(r"\1", place[0]), DESCRIPTIONS.sub("", tag))


def _bytes(text: str) -> int:
    return len(text.encode())


def script_json(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    return json_document.text(value, indent=None).replace("<", "\\u003c")
