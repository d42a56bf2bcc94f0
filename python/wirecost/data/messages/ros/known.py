# SPDX-License-Identifier: Apache-2.0
"""Definitions that a recording does not carry: in files, and those that come with ROS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore

from wirecost.data.messages.ros import interfaces
from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD
from wirecost.schema.compile.frontends.ros.packages import Finder, read

_STORES = {
    "ros1": [Stores.ROS1_NOETIC],
    "ros2": [
        Stores.EMPTY, *(store for store in reversed(Stores) if store.name.startswith("ROS2_"))
    ],
}  # fmt: skip
"""Stores of rosbags, newest first; before them the one of times alone, which recordings lack."""
_TIMES1 = {"builtin_interfaces/Time": "time", "builtin_interfaces/Duration": "duration"}
_IS_HASH = re.compile(r"(?:RIHS01_)?(?!0+$)[0-9a-f]{32,64}")


class KnownTypes:
    """Definitions of a dialect by names such as ``std_msgs/Header``."""

    def __init__(self, dialect: str, finder: Finder) -> None:
        self._dialect = dialect
        self._finder = finder

    def text(self, name: str, digest: str = "") -> str | None:
        """Return a type's text; None where neither files nor ROS have it. Raises UserError.

        Files come first; of ROS's own only that whose hash is ``digest``, if one is given. The
        error is for a file that cannot be read.
        """
        package, _, message = name.partition("/")
        path = self._finder.find(package, message)
        if path is not None:
            return read(path).replace("\r\n", "\n")
        for file in self._interfaces(package, message):
            texts = interfaces.messages(file, self._dialect)
            if name in texts:
                return texts[name]
        return self._ros(f"{package}/msg/{message}", digest)

    def _interfaces(self, package: str, message: str) -> Iterator[Path]:
        """Yield files of services and actions of which such a message may be."""
        for root in self._finder.roots:
            for folder in (root / package, *([root] if root.name == package else [])):
                for kind in ("srv", "action"):
                    for path in sorted((folder / kind).glob(f"*.{kind}")):
                        if message.startswith(path.stem):
                            yield path

    def _ros(self, type_name: str, digest: str) -> str | None:
        # A store takes long to import, with all older ones.
        for store in map(get_typestore, _STORES[self._dialect]):
            if type_name not in store.fielddefs:
                continue
            if not _IS_HASH.fullmatch(digest) or self._hash(store, type_name) == digest:
                return text_of(store.fielddefs[type_name][1], self._dialect)
        return None

    def _hash(self, store: Any, type_name: str) -> str:
        if self._dialect == "ros1":
            return str(store.generate_msgdef(type_name)[1])
        return str(store.hash_rihs01(type_name))


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
