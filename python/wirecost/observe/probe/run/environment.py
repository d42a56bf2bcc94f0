# SPDX-License-Identifier: Apache-2.0
"""The environment in which a program has hooks: what is preloaded, and what Python runs first."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirecost.observe.probe.run.hook import (
    PYTHON_FOLDER,
    Hook,
    Hooked,
    OutsideHook,
    Request,
    all_hooks,
    library,
)
from wirecost.observe.probe.run.target import Target
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

FOLDER = "WIRECOST_PROBE"
PRELOAD, PYTHON_PATH = "LD_PRELOAD", "PYTHONPATH"
PYTHON_FILES = "WIRECOST_PROBE_PYTHON"
"""Files that each Python interpreter runs first, as in PATH."""
PROBE_LIBRARY = "WIRECOST_PROBE_LIBRARY"
"""For ``ctypes``: hooks in another Python than this one cannot import ``wirecost``."""
PROBE = "libwirecost-probe.so.1"


@dataclass(frozen=True)
class Prepared:
    """Start of a program with hooks.

    ``environment``: whole; ``notes``: one line each; ``before``: words put before the program's.
    """

    environment: dict[str, str]
    notes: tuple[str, ...]
    before: tuple[str, ...] = ()


def hooks_without(left_out: str | None) -> list[Hook]:
    """Return every hook but those that are listed. Raises UserError for an unknown name."""
    every = all_hooks()
    names = tuple(hook.name for hook in every)
    without: Collection[str] = chosen("--without", left_out, names) if left_out else ()
    return [hook for hook in every if hook.name not in without]


def hooks_named(names: Collection[str]) -> list[Hook]:
    """Return those of these hooks that there are."""
    return [hook for hook in all_hooks() if hook.name in names]


def prepare(
    target: Target,
    hooks: Iterable[Hook],
    request: Request,
    folder: Path,
    inherited: Mapping[str, str],
) -> Prepared:
    """Prepare the start of a program; ``folder``: where the logs go.

    A program that nothing can be preloaded into gets no library, and a note says why.

    Raises:
        UserError: a hook refuses what the user asked for.
    """
    environment = {**inherited, FOLDER: str(folder.absolute())}
    if target.refusal is not None:
        line = f"{target.program}: {target.refusal}, so nothing is preloaded; it runs as it is"
        outside = [hook for hook in hooks if isinstance(hook, OutsideHook)]
        return _outside(
            environment, line, [hook.prepare_outside(target, request) for hook in outside]
        )
    hooked = [hook.prepare(target, request) for hook in hooks]
    for needs in hooked:
        environment |= needs.environment
    libraries = list(dict.fromkeys(path for needs in hooked for path in needs.libraries))
    files = [path for needs in hooked for path in needs.python]
    notes = [note for needs in hooked for note in needs.notes]
    if libraries:
        notes += _preload(environment, libraries)
    if files:
        _run_first(environment, files)
    before = tuple(word for needs in hooked for word in needs.before)
    return Prepared(environment, tuple(notes), before)


def _outside(environment: dict[str, str], line: str, hooked: list[Hooked]) -> Prepared:
    for needs in hooked:
        environment |= needs.environment
    notes = tuple(note for needs in hooked for note in needs.notes)
    before = tuple(word for needs in hooked for word in needs.before)
    return Prepared(environment, (line, *notes), before)


def _preload(environment: dict[str, str], libraries: list[Path]) -> list[str]:
    """Return the user's own libraries stay first."""
    preloaded = environment.get(PRELOAD, "").replace(":", " ").split()
    environment[PRELOAD] = ":".join([*preloaded, *map(str, libraries)])
    if not preloaded:
        return []
    return [f"LD_PRELOAD has {' '.join(preloaded)} already: kept, and put before the hooks"]


def _run_first(environment: dict[str, str], files: list[Path]) -> None:
    folders = [str(PYTHON_FOLDER), environment.get(PYTHON_PATH, "")]
    environment[PYTHON_PATH] = os.pathsep.join(filter(None, folders))
    environment[PYTHON_FILES] = os.pathsep.join(map(str, files))
    try:
        environment[PROBE_LIBRARY] = str(library(PROBE))
    except UserError:
        environment.pop(PROBE_LIBRARY, None)
