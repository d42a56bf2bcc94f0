# SPDX-License-Identifier: Apache-2.0
"""Parts of JSON, and which messages of a topic have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirecost.data.columns.json_types import LIST, RAW, JsonType, JsonTypes, Shape, merge
from wirecost.data.columns.parts import (
    BINARY,
    STRUCTURE,
    TEXT,
    Part,
    PartKind,
    PartsBuilder,
    Wanted,
    joined,
)
from wirecost.data.recordings.connection import JSON, NONE
from wirecost.data.recordings.described import ReadableGroups
from wirecost.data.recordings.recording import ConnectionGroup, Recording
from wirecost.system.counted import counted
from wirecost.system.foreign import shown

_KINDS = {
    TEXT: (PartKind.TEXT, 1),
    BINARY: (PartKind.SEQUENCE, 1),
    "b": (PartKind.SCALAR, 1),
    "tsn:": (PartKind.TIME, 8),
    "tDn": (PartKind.TIME, 8),
}


class JsonParts(PartsBuilder):
    """Any value can be null."""

    def value(self, name: str, shape: Shape, wanted: Wanted, path: str) -> list[Part]:
        """Return a value's parts; a single one, not kept, where it has no columns."""
        form = shape.form
        if form == STRUCTURE:
            return self._structure(name, shape, wanted, path)
        if form == LIST:
            element = self.value("item", shape.element or Shape(), wanted, path)
            is_kept = element[0].is_kept
            return [Part(PartKind.LIST, name, "", children=1, is_kept=is_kept), *element]
        if form == RAW:
            return [Part(PartKind.TEXT, name, TEXT, 1, 1, is_kept=wanted != {})]
        kind, width = _KINDS.get(form, (PartKind.SCALAR, 8))
        return [Part(kind, name, form, width, is_kept=wanted != {})]

    def _structure(self, name: str, shape: Shape, wanted: Wanted, path: str) -> list[Part]:
        inner: list[Part] = []
        is_kept = False
        for item, member in shape.members.items():
            below = joined(path, item)
            self.note(below)
            of_item = None if wanted is None else wanted.get(item, {})
            first, *others = self.value(item, member, of_item, below)
            is_kept = is_kept or first.is_kept
            inner += [first, *others]
        if path and wanted != {} and not shape.members:
            self.dropped.append(path)
        children = len(shape.members)
        top = Part(PartKind.STRUCTURE, name, STRUCTURE, children=children, is_kept=is_kept)
        return [top, *inner]


def json_messages(
    recording: Recording, groups: Sequence[ConnectionGroup]
) -> tuple[ReadableGroups, JsonType]:
    """Return those groups of a topic that have JSON, and their type. Raises UserError."""
    mine = [group for group in groups if group.first.wire == JSON]
    types, shape, notes = JsonTypes(str(recording.path)), None, []
    for group in mine:
        definition = group.first.definition
        found = types.of_schema(definition) if group.first.encoding == "jsonschema" else None
        if found is None and definition and group.first.encoding not in NONE:
            notes.append("its schema is no JSON Schema, so types are those of the messages' values")
        shape = merge(shape, found or Shape())
    assert shape is not None
    shape.settle()
    if not shape.is_settled:
        types.learn(shape, _each(recording, mine))
    shape.kinds = {"object"}
    others = [(group.count, group.first) for group in groups if group not in mine] + [
        (connection.count, connection)
        for connection in recording.unusable(mine[0].first.topic, has_schema=False)
        if connection.wire != JSON
    ]
    notes += [
        f"{counted(count, 'message')} left out: {shown(str(connection), 240)}"
        for count, connection in others
    ]
    most = max(mine, key=lambda group: group.count)
    return ReadableGroups(mine, notes), JsonType(most.first.type or "JSON", shape)


def _each(recording: Recording, groups: Sequence[ConnectionGroup]) -> Iterator[memoryview]:
    before = len(recording.warnings)
    for block in recording.blocks([groups]):
        memory = block.memory.data
        for begin, size in zip(block.begins.tolist(), block.sizes.tolist(), strict=True):
            yield memory[begin : begin + size]
    del recording.warnings[before:]  # which come again when the messages are read
