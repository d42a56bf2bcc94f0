# SPDX-License-Identifier: Apache-2.0
"""A type of ROS, as it is measured."""

from __future__ import annotations

from wirecost.data.messages.ros import mirror
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.subject import Subject, found_type, needed_files
from wirecost.schema.compile.schema import Label, MessageRef, Schema
from wirecost.system.errors import UserError

MOST_ALWAYS_THERE = 5_000_000


def ros_subject(definitions: RosDefinitions, source: str, type_name: str) -> Subject:
    """Return a subject; ``type_name`` may have slashes, as ROS writes it. Raises UserError."""
    schema = definitions.schema()
    dotted = type_name.replace("/msg/", ".").replace("/srv/", ".")
    dotted = dotted.replace("/action/", ".").replace("/", ".")
    type_ = found_type(schema, source, dotted)
    needed = Schema(tuple(needed_files(schema, type_)))
    always = _always_there(needed, type_)
    if always > MOST_ALWAYS_THERE:
        raise UserError(
            f"{type_}: {always:,} values are always there, in lists of a fixed length; more than "
            f"{MOST_ALWAYS_THERE:,} are not measured; make such a list shorter"
        )
    return Subject(type_, needed, mirror.descriptors(needed), definitions.wire, definitions)


def _always_there(schema: Schema, top: str) -> int:
    """Count the values of a message whose lists are empty, but for those of a fixed length.

    No message of ROS is within itself.
    """
    counts: dict[str, int] = {}
    for message in schema.messages():  # those that others hold come first
        counts[message.full_name] = sum(
            (counts[field.type.name] if isinstance(field.type, MessageRef) else 1)
            * ((field.capacity or 0) if field.label is Label.ARRAY else 1)
            for field in message.fields
            if field.label is not Label.REPEATED
        )
    return counts[top]
