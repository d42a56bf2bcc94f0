# SPDX-License-Identifier: Apache-2.0
"""Names of topics and fields that viewers take without quotes, whatever a program is called.

Foxglove's paths end a topic at a dot or a bracket, and Protobuf's fields are identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

LONGEST_PART, LONGEST_FIELD = 120, 60
"""Characters; the whole name is in the channel's metadata, or in the field's comment."""


def topic(*parts: str) -> str:
    """Return ``/wirecost/<part>/…``; a part's own slashes, as of ROS names, are levels too."""
    return "/".join(("", "wirecost", *map(_part, parts)))


def section_levels(program: str, section: str) -> tuple[str, str]:
    """Return a section's levels: where ROS names it, the node's name in place of the program's."""
    node, _, callback = section.partition(" ")
    if node.startswith("/") and callback.strip():
        return node, callback.replace("/", " ")
    return program, section.replace("/", " ")


def field_name(text: str) -> str:
    """Return an identifier in lower case: ``minor-faults`` is ``minor_faults``."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:LONGEST_FIELD].strip("_")
    return name if name[:1].isalpha() else f"counter_{name}".rstrip("_")


def spelling(name: str) -> str:
    """Return the name in JSON without cases, which two fields of a message may not share."""
    return name.replace("_", "")


def same(name: str) -> str:
    return name


@dataclass
class Distinct:
    """Gives each name once: ``a``, ``a_2``, ``a_3``. ``key``: what may not be equal."""

    key: Callable[[str], str] = same
    _taken: set[str] = field(default_factory=set)
    _last: dict[str, int] = field(default_factory=dict)

    def name(self, wanted: str) -> str:
        candidate, number = wanted, self._last.get(wanted, 1)
        while self.key(candidate) in self._taken:
            number += 1
            candidate = f"{wanted}_{number}"
        self._last[wanted] = number
        self._taken.add(self.key(candidate))
        return candidate


def _part(text: str) -> str:
    plain = re.sub(r"[^0-9A-Za-z_/-]+", "_", text)
    levels = [level.strip("_") for level in plain.split("/")]
    return "/".join(level for level in levels if level)[:LONGEST_PART].rstrip("/_") or "unnamed"
