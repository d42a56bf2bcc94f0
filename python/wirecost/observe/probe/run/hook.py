# SPDX-License-Identifier: Apache-2.0
"""A kind of hook: what it puts into a program so that the program's callbacks are recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from wirecost.observe.probe.run import hooks
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError
from wirecost.system.parts import PROBE as PROBE_PART
from wirecost.system.parts import installed, left_out
from wirecost.system.plugins import load_plugins

PYTHON_FOLDER = Path(__file__).with_name("python")
"""Folder of what Python interpreters run first; they import its ``sitecustomize.py`` themselves."""
UNLESS_PROBED = "WIRECOST_HOOK_UNLESS_PROBED"
"""Set: a hook that finds callbacks by itself stays away from a program that has probes."""


@dataclass(frozen=True)
class Request:
    """Request of the user.

    ``probed``: hooks that find callbacks by themselves stay away from a program that has probes of
    its own. ``functions``: patterns of functions, ``function_limit``: how many they may match,
    ``function_means``: by what they are recorded, ``each_function``: whether every pattern must
    match, ``by_object``: patterns of those whose objects, the first arguments, are recorded one by
    one. ``threads``: patterns of threads that are recorded as a whole. ``stacks_after_ns``: from
    when on stacks of what is counted are kept; None: never. ``limits``: only above them, each a
    counter, a number and a pattern of sections; none: always. ``stop``: whether the program is
    stopped above one.
    """

    probed: bool = False
    functions: tuple[str, ...] = ()
    function_limit: int = 64
    function_means: str = "auto"
    each_function: bool = False
    by_object: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    stacks_after_ns: int | None = None
    limits: tuple[tuple[str, int, str], ...] = ()
    stop: bool = False


@dataclass(frozen=True)
class Hooked:
    """Needs of a hook.

    ``libraries`` go behind those that LD_PRELOAD has already, and each is loaded into everything
    that the program starts, so a library must do nothing in a program that is not its own.
    ``python``: files that each Python interpreter runs when it starts; they may import the standard
    library of Python 3.8 only. ``notes``: what the user should know, one line each. ``before``:
    words put before the program's.
    """

    libraries: tuple[Path, ...] = ()
    python: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


class Hook(Protocol):
    """``name`` stands in ``--without``."""

    name: str
    about: str

    def prepare(self, target: Target, request: Request) -> Hooked:
        """Return what the hook needs; what cannot be done by itself is a note.

        Raises:
            UserError: what the user asked for is impossible for this program.
        """
        ...


@runtime_checkable
class OutsideHook(Protocol):
    """A hook that also works where nothing can be preloaded."""

    def prepare_outside(self, target: Target, request: Request) -> Hooked: ...


def all_hooks() -> list[Hook]:
    """Return every ``HOOK`` of the package's modules, in the order of their names."""
    return list(load_plugins(hooks.__name__, Path(hooks.__path__[0]), "HOOK").values())


def library(name: str) -> Path:
    """Return an installed library of wirecost's, or the one of that name in ``WIRECOST_HOOKS``.

    Raises:
        UserError: it is not there, or the loader cannot take its path.
    """
    named = os.environ.get("WIRECOST_HOOKS")
    path = Path(named, name) if named else installed(f"lib/{name}", PROBE_PART)
    path = path.absolute()
    if not path.is_file():
        raise left_out(path)
    if set(" \t\n:") & set(str(path)):
        raise UserError(
            f"{path}: LD_PRELOAD does not accept a path with spaces or colons; install elsewhere"
        )
    return path
