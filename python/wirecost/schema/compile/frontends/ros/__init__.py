# SPDX-License-Identifier: Apache-2.0
"""ROS ``.msg`` and ``.srv`` files, of ROS 1 and ROS 2, to the IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wirecost.schema.compile.frontends.ros import grammar
from wirecost.schema.compile.frontends.ros.builtin import ANY_NAME, DIALECTS, ROS1, Dialect
from wirecost.schema.compile.frontends.ros.loader import Loader, qualified
from wirecost.schema.compile.frontends.ros.packages import Finder, folder_of, name_of, read
from wirecost.schema.compile.schema import File
from wirecost.system.errors import UserError


def load(
    paths: Sequence[Path], include: Sequence[Path], dialect: str | None, any_case: bool = False
) -> list[File]:
    """Return inputs and all they use, dependencies first. Raises CompileError or UserError.

    Without a ``dialect`` it is seen from what only one of them has, first in the inputs, then in
    what they use; where nothing decides it, it is ROS 1. ``any_case``: names need not be
    as ROS 2 wants them.
    """
    for path in paths:
        if path.suffix == ".action":
            raise UserError(
                f"{path}: error: actions are not supported; give .msg files of goal, result and "
                "feedback"
            )
        if not path.is_file():
            raise UserError(f"{path}: error: no such file; name a .msg or .srv file")
    if dialect is not None and dialect not in DIALECTS:
        raise UserError(f"--dialect {dialect}: there are {', '.join(DIALECTS)}")
    chosen = DIALECTS[dialect] if dialect else _seen(paths, Finder(include, paths))
    finder = Finder(include, paths, chosen.name)
    if any_case:
        chosen = replace(chosen, field_name=ANY_NAME, constant_name=ANY_NAME)
    loader = Loader(finder, chosen, paths)
    for path in paths:
        loader.add(path)
    return loader.files()


def dialect_of(paths: Sequence[Path], include: Sequence[Path]) -> str:
    """Return the one that ``load`` reads files in when it is told none. Raises UserError."""
    return _seen(paths, Finder(include, paths)).name


def _seen(paths: Sequence[Path], finder: Finder) -> Dialect:
    waiting = [(name_of(folder_of(path)), path) for path in paths]
    queued = {path for _, path in waiting}
    while waiting:
        package, path = waiting.pop(0)
        text = read(path)
        seen = grammar.dialect_seen(text)
        if seen is not None:
            return DIALECTS[seen]
        for name in grammar.types_used(text):
            used = qualified(name, package)
            other = finder.find(*used) if used else None
            if used and other and other not in queued:
                queued.add(other)
                waiting.append((used[0], other))
    return ROS1
