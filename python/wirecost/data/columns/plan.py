# SPDX-License-Identifier: Apache-2.0
"""The plan by which messages of a type become columns: parts of the type in order of the wire."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from wirecost._core import RecordPlan, json_plan, record_plan, tagged_plan
from wirecost.data.columns.json_parts import JsonParts
from wirecost.data.columns.json_types import JsonType
from wirecost.data.columns.parts import (
    BINARY,
    FORMATS,
    STRUCTURE,
    TEXT,
    Part,
    PartKind,
    PartsBuilder,
    Wanted,
    steps,
)
from wirecost.data.columns.tagged import TaggedParts
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD, FILES
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

LOG_TIME = "log_time"
"""Column of the time at which a message was recorded."""
DATA, POINTS = "data", "points"
"""Field of a PointCloud2 that has the points, and the column that they become."""
_MOST_LISTED = 12
_STAMP, _DURATION = "tsn:", "tDn"


class PointField(NamedTuple):
    """A field of each point: so many values from ``offset`` on."""

    name: str
    offset: int
    kind: Kind
    values: int


class PointLayout(NamedTuple):
    """``step``: bytes from point to point."""

    fields: tuple[PointField, ...]
    step: int
    is_bigendian: bool


@dataclass(frozen=True)
class ColumnPlan:
    """Columns of a type.

    ``parts``: in pre-order, the message first; ``dropped``: messages without fields, which have no
    column; ``cut``: messages within themselves, which have none, either.
    """

    type: str
    parts: list[Part]
    dropped: list[str]
    cut: list[str]
    native: RecordPlan


def column_plan(
    about: Subject | JsonType,
    fields: Collection[str] = (),
    source: str = "the recording",
    points: PointLayout | None = None,
) -> ColumnPlan:
    """Return the plan of a type; ``fields``: dotted paths, none for all. Raises UserError.

    A path names a field with all that it holds; ``source``: where the type is from, for people;
    ``points``: the layout of the points of a PointCloud2, which become its field ``points`` in
    place of ``data``, unless that is asked for.
    """
    chosen = {path.partition(".")[0] for path in fields}
    if DATA in chosen or (chosen and POINTS not in chosen):
        points = None
    wanted = _tree(fields)
    builder: PartsBuilder
    native: Callable[[list[Part]], RecordPlan]
    cut: list[str] = []
    if isinstance(about, JsonType):
        builder = of_json = JsonParts(Schema(()), source)
        body, native = of_json.value("", about.shape, wanted, ""), json_plan
        names = set(about.shape.members)
    else:
        message = about.schema.message(about.type)
        names = {item.name for item in message.fields}
        if (rules := SEQUENTIAL.get(about.wire)) is None:
            builder = tagged = TaggedParts(about.schema, source)
            body, native = tagged.structure("", message, wanted, ""), tagged_plan
            cut = tagged.cut
        else:
            builder = ordered = _Builder(about.schema, source)
            ordered.points = points
            body = ordered.structure("", message, wanted, "", 0)
            native = partial(record_plan, largest=rules.largest, headed=rules.terminated)
    for path in fields:
        if path not in builder.paths:
            listed = ", ".join(shown(name) for name in list(builder.paths)[:_MOST_LISTED])
            raise UserError(
                f"{source}: {about.type} has no field {shown(path)}; choose from {listed}"
            )
    name = LOG_TIME
    while name in names:
        name = f"_{name}"
    top = Part(PartKind.STRUCTURE, "", STRUCTURE, children=1 + (body[0].children if body else 0))
    parts = [top, Part(PartKind.RECORDED, name, _STAMP, 8), *body[1:]]
    if any(part.kind is PartKind.POINTS and part.is_kept for part in parts):
        parts = [part._replace(is_hidden=not part.is_kept) for part in parts]
    try:
        plan = native(parts)
    except ValueError as error:
        raise UserError(f"{source}: {about.type}: {error}; choose another topic") from error
    return ColumnPlan(about.type, parts, builder.dropped, cut, plan)


def _tree(paths: Iterable[str]) -> Wanted:
    tree: dict[str, Wanted] = {}
    for path in sorted(paths):  # what holds others comes first
        *outer, name = steps(path)
        place: Wanted = tree
        for step in outer:
            place = place.setdefault(step, {}) if place is not None else None
        if place is not None:
            place[name] = None
    return tree or None


@dataclass
class _Builder(PartsBuilder):
    points: PointLayout | None = None

    def structure(
        self, name: str, message: Message, wanted: Wanted, path: str, depth: int
    ) -> list[Part]:
        """Return a message's parts; none where it has no bytes on the wire."""
        self.check_depth(message.full_name, depth)
        if [item.name for item in message.fields] in ([], [DUMMY_FIELD]):
            if path:
                self.dropped.append(path)
            dummies = [Part(PartKind.SCALAR, item.name, "C", 1) for item in message.fields]
            # A message that is nothing else may come without the byte.
            top = Part(PartKind.STRUCTURE, name, STRUCTURE, 0, 0, len(dummies), is_kept=False)
            return [top, *dummies] if dummies and path else []
        inner: list[Part] = []
        children, is_kept = 0, False
        for item in message.fields:
            if self.points is not None and path == "" and item.name == DATA:
                of_points = None if wanted is None else wanted.get(POINTS, {})
                parts = self._points(self.points, of_points)
                children += 1
                is_kept = is_kept or parts[0].is_kept
                inner += parts
                continue
            of_item = None if wanted is None else wanted.get(item.name, {})
            parts = self._field(item, of_item, f"{path}.{item.name}".lstrip("."), depth)
            children += bool(parts)
            is_kept = is_kept or any(part.is_kept for part in parts[:1])
            inner += parts
        if not inner:
            return []
        top = Part(PartKind.STRUCTURE, name, STRUCTURE, 0, 0, children, is_kept)
        return [top, *inner]

    def _field(self, item: Field, wanted: Wanted, path: str, depth: int) -> list[Part]:
        self.note(path)
        is_kept = wanted != {}
        size = item.capacity or 0
        if isinstance(item.type, Kind) and item.type in FORMATS:
            scalar = _scalar(item, item.type, size)
            return [scalar._replace(is_kept=is_kept)]
        name = item.name if item.label is Label.SINGLE else "item"
        if isinstance(item.type, MessageRef):
            message = self.schema.message(item.type.name)
            element = _time(name, message) or self.structure(name, message, wanted, path, depth + 1)
            if element and element[0].kind is PartKind.TIME:
                element = [element[0]._replace(is_kept=is_kept)]
        else:
            element = [Part(PartKind.TEXT, name, TEXT, is_kept=is_kept)]
        if item.label is Label.SINGLE or (item.label is Label.ARRAY and not element):
            return element
        if not element:  # elements without a byte, of which there is the number alone
            return [Part(PartKind.SEQUENCE, item.name, "", 0, is_kept=False)]
        kind = PartKind.LIST if item.label is Label.REPEATED else PartKind.ARRAY
        return [Part(kind, item.name, "", 0, size, 1, element[0].is_kept), *element]

    def _points(self, points: PointLayout, wanted: Wanted) -> list[Part]:
        self.paths[POINTS] = None
        fields = []
        for item in points.fields:
            self.paths[f"{POINTS}.{item.name}"] = None
            kind = PartKind.SCALAR if item.values == 1 else PartKind.BLOCK
            is_kept = wanted is None or item.name in wanted
            form = FORMATS[item.kind]
            fields.append(
                Part(kind, item.name, form, item.kind.width or 1, item.values,
                     is_kept=is_kept, offset=item.offset)
            )  # fmt: skip
        is_kept = any(field.is_kept for field in fields)
        form, big = STRUCTURE, int(points.is_bigendian)
        point = Part(PartKind.STRUCTURE, "item", form, children=len(fields), is_kept=is_kept)
        return [Part(PartKind.POINTS, POINTS, "", points.step, big, 1, is_kept), point, *fields]


def _scalar(item: Field, kind: Kind, size: int) -> Part:
    width = kind.width or 1
    if item.label is Label.SINGLE:
        return Part(PartKind.SCALAR, item.name, FORMATS[kind], width)
    is_binary = kind is Kind.UINT8
    if item.label is Label.REPEATED:
        form = BINARY if is_binary else FORMATS[kind]
        return Part(PartKind.SEQUENCE, item.name, form, width)
    form = f"w:{size}" if is_binary else FORMATS[kind]
    return Part(PartKind.BLOCK, item.name, form, width, size)


def _time(name: str, message: Message) -> list[Part]:
    """Return a time's part; none where a message is no time as ROS defines it."""
    usual = FILES.get(message.full_name)
    kinds = [item.type for item in message.fields]
    if usual is None or kinds != [item.type for item in usual.messages[0].fields]:
        return []
    signs = sum(1 << place for place, kind in enumerate(kinds) if kind is Kind.INT32)
    form = _DURATION if message.full_name.endswith("Duration") else _STAMP
    return [Part(PartKind.TIME, name, form, 8, signs)]
