# SPDX-License-Identifier: Apache-2.0
"""A file that says what a recording does not: nodes, their languages, and their topics."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from wirecost.data.recordings import plain_yaml
from wirecost.data.recordings.survey import RecordingSurvey
from wirecost.measure.cost.pricing import LANGUAGES
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 20
"""Bytes of a file that is read."""
EXAMPLE = "{node: /lidar, lang: python, publishes: [/points], subscribes: []}"


class NodeEntry(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A node of the file; ``lang``: empty for the one that ``--lang`` names."""

    node: str
    lang: str = ""
    publishes: list[str] = []
    subscribes: list[str] = []


class _Document(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    nodes: list[NodeEntry]


@dataclass(frozen=True)
class NodesFile:
    """Nodes by what they do."""

    path: Path = Path()
    nodes: list[NodeEntry] = field(default_factory=list)

    @property
    def langs(self) -> Mapping[str, str]:
        return {node.node: node.lang for node in self.nodes if node.lang}

    def place(self, read: RecordingSurvey) -> None:
        """Set the ends of a recording's topics. Raises UserError where a topic is not there."""
        topics = {topic.connection.topic for topic in read.topics}
        for one in self.nodes:
            for name in (*one.publishes, *one.subscribes):
                if name not in topics:
                    raise UserError(
                        f"{self.path}: {shown(one.node)} has the topic {shown(name)}, which is not "
                        "in the recording; correct its name"
                    )
        for topic in read.topics:
            name = topic.connection.topic
            topic.publishers = [node.node for node in self.nodes if name in node.publishes] or None
            takers = [node.node for node in self.nodes if name in node.subscribes]
            if takers or topic.publishers:
                topic.subscribers = takers


def read_nodes(path: Path) -> NodesFile:
    """Read the file. Raises UserError."""
    remedy = f"write `nodes:` and a line `- {EXAMPLE}` for each node"
    try:
        text = read_regular(path, LARGEST).decode()
        document: Any = tomllib.loads(text) if path.suffix == ".toml" else plain_yaml.load(text)
        nodes = msgspec.convert(document, _Document).nodes
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error
    except (*plain_yaml.FAULTS, msgspec.ValidationError) as error:
        first = (str(error).splitlines() or ["not readable"])[0]
        raise UserError(f"{path}: {shown(first, 120)}; {remedy}") from error
    for node in nodes:
        if node.lang not in ("", *LANGUAGES):
            raise UserError(f"{path}: {shown(node.node)}: lang is cpp or python")
    return NodesFile(path, nodes)
