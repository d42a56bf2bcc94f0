# SPDX-License-Identifier: Apache-2.0
"""The names OSI recommends for trace files.

``<timestamp>_<type>_<osi>_<protobuf>_<frames>[_<name>].osi``, by OSI's "trace file naming
conventions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.traces.choices import TYPES

FORM = "<timestamp>_<type>_<osi version>_<protobuf version>_<frames>_<name>"

_TIMESTAMP = r"\d{8}T\d{6}(?:[.,]\d+)?(?:Z|[+-]\d{2}(?:\d{2})?)"
_VERSION = r"\d+(?:\.\d+)*"
"""OSI's examples have no dots; ASAM's own utilities write them."""
_NAME = re.compile(
    rf"(?P<timestamp>{_TIMESTAMP})_(?P<tag>[a-z]+)_(?P<osi>{_VERSION})_(?P<protobuf>{_VERSION})"
    r"_(?P<frames>\d+)(?:_(?P<custom>.*))?",
    re.ASCII | re.DOTALL,
)
_TAG = re.compile(r"(?:^|_)(" + "|".join(TYPES) + r")(?=_|$)")


@dataclass(frozen=True)
class TraceName:
    """A name that follows the convention."""

    timestamp: str
    tag: str
    osi: str
    """Version without dots: 370."""
    protobuf: str
    frames: int
    custom: str | None


def parse_name(path: Path) -> TraceName | None:
    """Return None where the name does not follow the convention."""
    match = _NAME.fullmatch(path.stem)
    if match is None or (match["tag"] not in TYPES and match["tag"] != "multi"):
        return None
    if len(match["frames"]) > 18:
        return None
    versions = (match["osi"].replace(".", ""), match["protobuf"].replace(".", ""))
    parts = (match["timestamp"], match["tag"], *versions)
    return TraceName(*parts, int(match["frames"]), match["custom"])


def type_of(path: Path) -> str | None:
    """Return the message type in a name, by OSI's convention or a lone ``_sv_``."""
    name = parse_name(path)
    if name is not None:
        return TYPES.get(name.tag)
    tags = set(_TAG.findall(path.stem))
    return TYPES[tags.pop()] if len(tags) == 1 else None


def misnamed(path: Path, named: str, actual: str) -> str:
    """Return the warning for a name with another type than the frames."""
    return f"{path}: is named as {named}, but its frames are {actual}"
