# SPDX-License-Identifier: Apache-2.0
"""A remedy: something about how a program is started that may make it faster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wirecost.observe.heap import launch
from wirecost.observe.trial import remedies
from wirecost.system.chosen import chosen
from wirecost.system.foreign import shell_line
from wirecost.system.plugins import load_plugins

PLAIN = "as it is"
PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True)
class Change:
    """Change of a program's start. ``preload`` goes behind what is preloaded already."""

    variables: Mapping[str, str] = field(default_factory=dict)
    preload: tuple[Path, ...] = ()
    cpu: int | None = None
    fifo: int | None = None
    heap: launch.Options | None = None

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return ``inherited`` with this change's variables, libraries and allocator."""
        changed = {**inherited, **self.variables}
        if self.preload:
            before = changed.get(PRELOAD, "").replace(":", " ").split()
            changed[PRELOAD] = ":".join([*before, *map(str, self.preload)])
        return changed if self.heap is None else launch.environment(self.heap, changed)

    def command(self, words: Sequence[str]) -> str:
        """Return the shell command that starts the program ``words`` with this change."""
        variables = dict(self.variables)
        if self.preload:
            variables[PRELOAD] = ":".join(map(str, self.preload))
        before: list[str] = []
        if self.cpu is not None:
            before += ["taskset", "--cpu-list", str(self.cpu)]
        if self.fifo is not None:
            before += ["chrt", "--fifo", str(self.fifo)]
        if self.heap is not None:
            pool = f"{self.heap.pool_bytes >> 20}MiB"
            before += ["wirecost", "heap", "run", "--pool", pool, "--"]
        assigned = [f"{name}={shell_line(value)}" for name, value in variables.items()]
        return " ".join([*assigned, shell_line(*before, *words)])


class Remedy(Protocol):
    """``name`` stands in ``--remedies``; ``about`` says in a few words what it does.

    ``price``: what it takes, in a few words.
    """

    name: str
    about: str
    price: str

    def refusal(self) -> str | None:
        """Why it cannot be tried here and what would permit it; None where it can."""
        ...

    def change(self) -> Change:
        """Return the change. Raises UserError where something of wirecost's is missing."""
        ...


def all_remedies() -> list[Remedy]:
    """Return every ``REMEDY`` of the package's modules, in the order of their names."""
    return list(load_plugins(remedies.__name__, Path(remedies.__path__[0]), "REMEDY").values())


def chosen_remedies(option: str, text: str | None) -> list[Remedy]:
    """Return all, or those in a comma-separated list. Raises UserError for an unknown name."""
    every = all_remedies()
    if text is None:
        return every
    names = chosen(option, text, [remedy.name for remedy in every])
    return [remedy for remedy in every if remedy.name in names]


def refused(change: Callable[[], None]) -> str | None:
    """Return why the kernel refuses ``change``, tried in a thread that ends at once."""
    reasons: list[str] = []

    def attempt() -> None:
        try:
            change()
        except OSError as error:
            reasons.append(os.strerror(error.errno or 0))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return reasons[0] if reasons else None
