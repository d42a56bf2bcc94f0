# SPDX-License-Identifier: Apache-2.0
"""YAML as rosbag2 writes it: without aliases, of which a few lines can stand for gigabytes."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

DEEPEST = 64
FAULTS = (YAMLError, ValueError, TypeError, AttributeError, KeyError, RecursionError)
"""Errors that damaged documents raise here, and where their values are looked up."""


def load(text: str) -> Any:
    """Return a document's values. Raises what FAULTS names, also on aliases and deep nesting."""
    depth = 0
    for event in YAML(typ="safe").parse(text):
        if isinstance(event, AliasEvent):
            raise ValueError("it has aliases")
        depth += isinstance(event, CollectionStartEvent)
        depth -= isinstance(event, CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    return YAML(typ="safe").load(text)
