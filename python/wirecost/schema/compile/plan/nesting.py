# SPDX-License-Identifier: Apache-2.0
"""Messages that a hostile input can nest deeper than decoders allow.

Only their decoders count how deep they are; those of all other messages stay as fast as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirecost.schema.compile.schema import Message, MessageRef, Schema

DEPTH = 100
"""Messages in the outermost one, as Google's libraries allow them; entries of maps count too."""


def deep(schema: Schema) -> frozenset[str]:
    """Return full names of the messages on a path of messages longer than ``DEPTH`` allows.

    They are those that can contain themselves, those that contain such, and those in them.
    """
    held = {message.full_name: _held(message) for message in schema.messages()}
    holders: dict[str, set[str]] = {name: set() for name in held}
    for name, inner in held.items():
        for other in inner:
            holders[other].add(name)
    below, above = _longest(held, holders), _longest(holders, held)
    return frozenset(
        name
        for name in held
        if name not in below or name not in above or below[name] + above[name] > DEPTH
    )


def _held(message: Message) -> set[str]:
    """Return messages in the fields of a message."""
    types = [item.value.type if item.value else item.type for item in message.fields]
    return {type_.name for type_ in types if isinstance(type_, MessageRef)}


def _longest(edges: Mapping[str, set[str]], back: Mapping[str, set[str]]) -> dict[str, int]:
    """Return edges of the longest path that starts at each message; none if a path has no end."""
    open_targets = {name: len(targets) for name, targets in edges.items()}
    lengths = {name: 0 for name, count in open_targets.items() if not count}
    waiting = list(lengths)
    while waiting:
        name = waiting.pop()
        for source in back[name]:
            open_targets[source] -= 1
            if not open_targets[source]:
                lengths[source] = 1 + max(lengths[target] for target in edges[source])
                waiting.append(source)
    return lengths
