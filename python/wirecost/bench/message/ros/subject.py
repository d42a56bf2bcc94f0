# SPDX-License-Identifier: Apache-2.0
"""A type of ROS, as it is measured."""

from __future__ import annotations

from wirecost.bench.message.ros import mirror
from wirecost.bench.message.ros.definitions import Definitions
from wirecost.bench.message.ros.reader import RosReader
from wirecost.bench.message.subject import Subject, found_type, needed_files
from wirecost.compile.schema import Schema


def ros_subject(definitions: Definitions, source: str, type_name: str) -> Subject:
    """As ``subject``; ``type_name`` may have slashes, as ROS writes it. Raises UserError."""
    schema = definitions.schema()
    asked = type_name.replace("/msg/", ".").replace("/srv/", ".").replace("/", ".")
    type_ = found_type(schema, source, asked)
    needed = Schema(tuple(needed_files(schema, type_)))
    reader = RosReader(definitions, needed, type_)
    return Subject(type_, needed, mirror.descriptors(needed), definitions.wire, reader)
