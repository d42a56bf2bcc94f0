# SPDX-License-Identifier: Apache-2.0
"""Definitions that rosbags has, as texts: it takes long to import, and few recordings need it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_typestore

from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD
from wirecost.system.foreign import shown

_STORES = {
    "ros1": [Stores.ROS1_NOETIC],
    "ros2": [
        Stores.EMPTY, *(store for store in reversed(Stores) if store.name.startswith("ROS2_"))
    ],
}  # fmt: skip
"""Stores of rosbags, newest first; before them the one of times alone, which recordings lack."""
_TIMES1 = {"builtin_interfaces/Time": "time", "builtin_interfaces/Duration": "duration"}
_IS_HASH = re.compile(r"(?:RIHS01_)?(?!0+$)[0-9a-f]{32,64}")
_DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_NOT_IDL = (TypesysError, KeyError, ValueError, AttributeError, AssertionError, RecursionError)


def text_of_ros(type_name: str, dialect: str, digest: str) -> str | None:
    """Return the text of one of ROS's own types, of that hash if one is given."""
    # A store takes long to import, with all older ones.
    for store in map(get_typestore, _STORES[dialect]):
        if type_name not in store.fielddefs:
            continue
        if not _IS_HASH.fullmatch(digest) or _hash(store, type_name, dialect) == digest:
            return text_of(store.fielddefs[type_name][1], dialect)
    return None


def _hash(store: Any, type_name: str, dialect: str) -> str:
    if dialect == "ros1":
        return str(store.generate_msgdef(type_name)[1])
    return str(store.hash_rihs01(type_name))


def texts_of_idl(text: str) -> dict[str, str]:
    """Return a ``.msg`` for each type that OMG IDL declares. Raises ValueError with the reason."""
    try:
        types = get_types_from_idl(_DIRECTIVE.sub("", text)) if text.strip() else {}
    except _NOT_IDL as error:
        raise ValueError(_reason(error)) from error
    return {name: text_of(fields, "ros2") for name, (_, fields) in types.items()}


def _reason(error: Exception) -> str:
    """Return rosbags' reason without the whole text, which it repeats."""
    lines = str(error).splitlines()
    return shown(" ".join(lines[:1] + lines[2:]) if len(lines) > 2 else error, 120)


def text_of(fields: Sequence[Any], dialect: str) -> str:
    """Return lines of a ``.msg`` from fields as rosbags has them."""
    return "".join(
        f"{_type(about, dialect)} {name}\n" for name, about in fields if name != DUMMY_FIELD
    )


def _type(about: Any, dialect: str) -> str:
    form, inner = about
    if form is Nodetype.BASE:
        name, bound = inner
        return f"{name}<={bound}" if bound else str(name)
    if form is Nodetype.NAME:
        package, _, message = str(inner).rpartition("/")
        name = f"{re.sub('/(msg|srv|action)$', '', package)}/{message}"
        return _TIMES1.get(name, name) if dialect == "ros1" else name
    element, size = inner
    bound = str(size or "") if form is Nodetype.ARRAY else f"<={size}" if size else ""
    return f"{_type(element, dialect)}[{bound}]"
