# SPDX-License-Identifier: Apache-2.0
"""The text of a ROS 2 message type, as MCAP stores it: with all types that it refers to."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

_SEPARATOR = "=" * 80
_FIELD = re.compile(r"^\s*(?P<type>[A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+\w", re.MULTILINE)


@cache
def definition(type_: str, type_hash: str) -> str:
    """Return the definition of a type; empty where nothing here has it.

    It comes from the packages of ``AMENT_PREFIX_PATH``, else from the types that ``rosbags`` knows
    where it is installed, with the hash if one is given.
    """
    return _from_packages(type_) or _from_rosbags(type_, type_hash)


def _from_packages(type_: str) -> str:
    texts: dict[str, str] = {}
    waiting = [type_]
    while waiting:
        each = waiting.pop()
        if each in texts:
            continue
        text = _file_of(each)
        if text is None:
            return ""
        texts[each] = text
        waiting += _referred(text, each.partition("/")[0])
    first = texts.pop(type_)
    parts = [
        f"{_SEPARATOR}\nMSG: {name.replace('/msg/', '/')}\n{text}" for name, text in texts.items()
    ]
    return "\n".join([first, *parts])


def _file_of(type_: str) -> str | None:
    package, _, short = type_.partition("/msg/")
    if not re.fullmatch(r"\w+", package) or not re.fullmatch(r"\w+", short):
        return None
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        file = Path(prefix) / "share" / package / "msg" / f"{short}.msg"
        if prefix and file.is_file():
            return file.read_text(errors="replace")
    return None


def _referred(text: str, package: str) -> list[str]:
    """Message types among the fields; primitive types are lower case, messages are not."""
    code = re.sub(r"#.*", "", text)
    types = []
    for match in _FIELD.finditer(code):
        owner, _, short = match["type"].rpartition("/")
        if short[0].isupper():
            types.append(f"{owner.removesuffix('/msg') or package}/msg/{short}")
    return types


def _from_rosbags(type_: str, type_hash: str) -> str:
    try:
        from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415
    except ImportError:
        return ""
    stores = [store for store in Stores if store.name.startswith("ROS2_") and store != Stores.EMPTY]
    for store in reversed(stores):
        typestore = get_typestore(store)
        if type_ not in typestore.types:
            continue
        if type_hash and typestore.hash_rihs01(type_) != type_hash:
            continue
        return typestore.generate_msgdef(type_, ros_version=2)[0]
    return ""
