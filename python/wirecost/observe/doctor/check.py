# SPDX-License-Identifier: Apache-2.0
"""Base of a check. A new one is one file in ``checks``."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from wirecost.observe.doctor.machine import Machine


class Verdict(StrEnum):
    """``fail`` spoils measurements; ``warn`` may add noise; ``n/a``: the machine has no such."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    NA = "n/a"


@dataclass(frozen=True)
class Setting:
    """Kernel files that ``--fix`` may write and ``--undo`` restore, and their permitted values.

    Both are regular expressions: of the whole path, without a leading slash, and the whole value.
    """

    path: str
    values: str

    def allows(self, path: str, value: str) -> bool:
        texts = ((self.path, path), (self.values, value))
        return all(re.fullmatch(pattern, text, re.ASCII) for pattern, text in texts)


@dataclass(frozen=True)
class Change:
    """A value to write to a kernel file. ``optional``: the kernel may refuse it for good."""

    path: str
    value: str
    optional: bool = False


class Check(ABC):
    """One property of a machine, read anew for every ``Machine``."""

    name: ClassVar[str]
    """Key in JSON."""
    title: ClassVar[str]
    """Heading in the table."""
    order: ClassVar[int]
    """Place in the table and among fixes: what others build on comes first."""
    settings: ClassVar[tuple[Setting, ...]] = ()
    """All files that ``fix`` may ever write; nothing else is written, whatever a file contains."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.system = machine.system

    @abstractmethod
    def available(self) -> bool:
        """Return whether this machine has what is looked at; if not, the rest is unused."""

    @abstractmethod
    def value(self) -> str:
        """Return what was found, in a few words."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Return whether that is good for measuring."""

    @abstractmethod
    def advice(self) -> str:
        """Return what to do about it; read only when the verdict is not ok."""

    def fix(self) -> list[Change]:
        """Return what can be written at run time to improve it, in order."""
        return []

    def boot(self) -> list[str]:
        """Return words to add to the kernel's command line."""
        return []
