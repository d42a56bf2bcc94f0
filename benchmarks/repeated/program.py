# SPDX-License-Identifier: Apache-2.0
"""The program of a list's columns and floors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp.code import ROOT
from wirecost.measure.serializers.cpp.source import ProgramSource
from wirecost.schema.compile.compiler import Columns, emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.cpp.names import CppNames, identifier, member
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.schema import MessageRef

from .elements import ElementField, RepeatedElements

NAME = "elements"
TEMPLATES = Templates(Path(__file__).parent)


@dataclass(frozen=True)
class _ColumnField:
    """A field of an element: its column, and the expressions that read and write it in a row."""

    token: str
    reduction: str
    get: str
    place: str


def generate(elements: RepeatedElements, subject: Subject, folder: Path) -> ProgramSource:
    """Write the program and what it includes into a folder."""
    names = CppNames(subject.schema, ROOT)
    home = subject.schema.home(elements.element)
    request = Request(("protobuf",), recycling=False)
    in_columns = Columns((elements.element,))
    write(emitted(subject.schema, ("cpp",), request, in_columns), folder / "columns")
    local = home.local_name(elements.element).replace(".", "")
    text = TEMPLATES.render(
        "elements.cpp.j2",
        type=subject.type,
        columns_header=names.header(home, ".columns"),
        table=f"::{names.namespace(home)}::{local}Columns",
        row=names.qualified(MessageRef(elements.element)),
        list=member(elements.field),
        number=elements.field.number,
        fields=[_field(elements, field) for field in elements.fields],
    )
    (folder / f"{NAME}.cpp").write_text(text, encoding="utf-8")
    return ProgramSource(NAME, (f"{NAME}.cpp",), include=("columns/cpp",))


def _field(elements: RepeatedElements, field: ElementField) -> _ColumnField:
    along = fields_along(elements.subject.schema, elements.element, field.path)
    get = place = "row"
    for part in along:
        get, place = f"value_of({get}.{member(part)})", f"touched({place}.{member(part)})"
    lossless = "columns::Reduce::automatic"
    return _ColumnField(
        token=".".join(identifier(part.name) for part in along),
        reduction=f"columns::Reduce::error, {field.error!r}" if field.error else lossless,
        get=get,
        place=place,
    )
