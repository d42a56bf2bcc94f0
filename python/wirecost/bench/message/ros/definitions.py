# SPDX-License-Identifier: Apache-2.0
"""The texts of ROS types: from files, or as recordings carry them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_typestore

from wirecost import scratch
from wirecost.compile import frontends
from wirecost.compile.frontends.ros import dialect_of
from wirecost.compile.schema import Schema
from wirecost.errors import UserError
from wirecost.printable import shown

_SEPARATOR = re.compile(r"^={3,}\s*\n(?=(?:MSG|IDL):)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_WIRES = {"ros1": "ros1", "ros2": "cdr"}


@dataclass(frozen=True)
class Definitions:
    """``texts``: of each type, ``std_msgs/Header``, as a ``.msg`` has it; ``dialect``: ``ros1`` or
    ``ros2``."""

    dialect: str
    texts: dict[str, str]

    @property
    def wire(self) -> str:
        """The one on which nodes send them."""
        return _WIRES[self.dialect]

    def schema(self) -> Schema:
        """Raises CompileError, UserError."""
        with scratch.folder("definitions") as folder:
            paths = []
            for name, text in self.texts.items():
                package, _, message = name.partition("/")
                path = folder / package / "msg" / f"{message}.msg"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                paths.append(str(path))
            return frontends.load(paths, [folder], self.dialect)


def of_files(paths: Sequence[str], include: Sequence[Path], dialect: str | None) -> Definitions:
    """``.msg`` and ``.srv`` files with all that they use. Raises CompileError, UserError."""
    chosen = dialect or dialect_of([Path(path) for path in paths], include)
    texts: dict[str, str] = {}
    for file in frontends.load(paths, include, chosen).files:
        for source in file.sources[:1]:
            parts = [source.read_text(encoding="utf-8-sig")]
            if source.suffix == ".srv":
                parts = re.split(r"^---\s*$", parts[0], flags=re.MULTILINE)
            # A service's request and response are messages of their own.
            for message, text in zip(file.messages, parts, strict=True):
                texts[message.full_name.replace(".", "/")] = text
    return Definitions(chosen, texts)


def of_text(type_name: str, text: str, dialect: str) -> Definitions:
    """As recordings have a type: its own text, then those of the types that it uses, each below a
    line ``MSG: package/Name``. Raises UserError."""
    first, *others = _SEPARATOR.split(text)
    texts = {short(type_name): first}
    for other in others:
        name, _, rest = other.partition("\n")
        texts[short(name.removeprefix("MSG:").strip())] = rest
    return Definitions(dialect, texts)


def of_idl(type_name: str, text: str) -> Definitions:
    """From OMG IDL, as recordings of ROS 2 may have it. Raises UserError."""
    try:
        store = get_typestore(Stores.EMPTY)
        for part in _SEPARATOR.split(text):
            store.register(get_types_from_idl(re.sub(r"^IDL:.*\n", "", part)))
        written, _ = store.generate_msgdef(type_name, ros_version=2)
    except (TypesysError, KeyError) as error:
        raise UserError(
            f"the recording's definition of {shown(type_name)} cannot be read ({shown(str(error))})"
            "; name a schema"
        ) from error
    return of_text(type_name, written, "ros2")


def short(name: str) -> str:
    """``std_msgs/Header``, without the folder that ROS 2's names have. Raises UserError."""
    package, _, message = name.rpartition("/")
    package = package.removesuffix("/msg").removesuffix("/srv")
    if not _NAME.fullmatch(package) or not _NAME.fullmatch(message):
        raise UserError(f"the recording has a type {shown(name)}, which is no name; name a schema")
    return f"{package}/{message}"
