# SPDX-License-Identifier: Apache-2.0
"""Folders of the messages of a package, and the package that a file belongs to."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from wirecost.schema.compile.frontends.ros.grammar import dialect_seen
from wirecost.system.errors import UserError

LONGEST_NAME = 200
"""Letters of a type with its package: folders and files are called so, too."""
LARGEST = 1 << 20
"""No interface is written by hand in more bytes; a larger file is something else."""

_SYSTEM = Path("/usr/share")
"""Debian's ROS packages."""

_KINDS = ("msg", "srv", "action")


def read(path: Path) -> str:
    """Raise UserError if it is no text of a sensible size."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise UserError(f"{path}: error: {error.strerror}; name a readable file") from error
    if len(data) > LARGEST:
        raise UserError(f"{path}: error: larger than 1 MiB; name a .msg or .srv file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line}: error: not UTF-8; save it as UTF-8") from error


def folder_of(path: Path) -> Path:
    """Return the folder of the package a file belongs to."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - a link's own place counts
    if whole.parent.name in _KINDS:
        return whole.parent.parent
    for folder in whole.parents:
        if (folder / "package.xml").is_file():
            return folder
    return whole.parent


def name_of(folder: Path) -> str:
    """Return a package's name: what its package.xml says, else its folder's."""
    manifest = folder / "package.xml"
    if manifest.is_file():
        try:
            name = ET.fromstring(read(manifest)).findtext("name", "").strip()
        except ET.ParseError as error:
            raise UserError(f"{manifest}: error: {error}; correct the manifest") from error
        if name:
            return name
    return folder.name


def sources(path: Path) -> tuple[Path, ...]:
    """Return what a file's messages are read from: it, and its package's name."""
    manifest = folder_of(path) / "package.xml"
    return (path, manifest) if manifest.is_file() else (path,)


class Finder:
    """Finds ``<package>/<name>``: in the inputs' surroundings and wherever ROS keeps packages.

    With a ``dialect``, installed files of the other one, such as ROS 1's Header, are passed over.
    """

    def __init__(
        self, include: Sequence[Path], inputs: Sequence[Path], dialect: str | None = None
    ) -> None:
        self._dialect = dialect
        self._homes: dict[str, list[Path]] = {}
        self._found: dict[str, dict[str, Path]] = {}
        around: list[Path] = []
        for path in inputs:
            folder = folder_of(path)
            self._homes.setdefault(name_of(folder), []).append(folder)
            around.append(folder.parent)
        self._given = list(dict.fromkeys([*include, *around]))
        self.roots = list(dict.fromkeys([*self._given, *_from_environment(), _SYSTEM]))
        """Folders that are searched, in order."""

    def find(self, package: str, name: str) -> Path | None:
        return self._messages(package).get(name)

    def names(self, package: str) -> list[str]:
        """Return messages of a package; none if it is not found."""
        return sorted(self._messages(package))

    def _messages(self, package: str) -> dict[str, Path]:
        """Return messages by name; looked for once, for a large schema asks thousands of times."""
        if len(package) > LONGEST_NAME:
            return {}
        if package not in self._found:
            paths: dict[str, Path] = {}
            for folder, is_given in self._folders(package):
                deep = "**/*.msg" if folder.name == "msg" else "*.msg"
                for path in sorted(folder.glob(deep), key=lambda path: len(path.parts)):
                    if path.stem not in paths and (is_given or self._is_readable(path)):
                        paths[path.stem] = path
            self._found[package] = paths
        return self._found[package]

    def _is_readable(self, path: Path) -> bool:
        """Say whether a file has nothing that only the other dialect knows."""
        return self._dialect is None or dialect_seen(read(path)) in {None, self._dialect}

    def _folders(self, package: str) -> Iterator[tuple[Path, bool]]:
        """Yield folders that may hold messages of the package, and whether somebody named them."""
        for home in self._homes.get(package, []):
            yield from ((home / "msg", True), (home, True))
        for root in self.roots:
            is_given = root in self._given
            homes = [root / package, *([root] if root.name == package else [])]
            for home in homes:
                yield from ((home / "msg", is_given), (home, is_given))


def _from_environment() -> list[Path]:
    def folders(variable: str) -> list[Path]:
        return [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]

    return [
        *folders("ROS_PACKAGE_PATH"),
        *(prefix / "share" for prefix in folders("AMENT_PREFIX_PATH")),
    ]
