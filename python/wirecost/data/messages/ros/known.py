# SPDX-License-Identifier: Apache-2.0
"""Definitions that a recording does not carry: in files, and those that come with ROS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wirecost.data.messages.ros import interfaces
from wirecost.schema.compile.frontends.ros.packages import Finder, read


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
        from wirecost.data.messages.ros import stores  # noqa: PLC0415 - takes long to import

        return stores.text_of_ros(f"{package}/msg/{message}", self._dialect, digest)

    def _interfaces(self, package: str, message: str) -> Iterator[Path]:
        """Yield files of services and actions of which such a message may be."""
        for root in self._finder.roots:
            for folder in (root / package, *([root] if root.name == package else [])):
                for kind in ("srv", "action"):
                    for path in sorted((folder / kind).glob(f"*.{kind}")):
                        if message.startswith(path.stem):
                            yield path
