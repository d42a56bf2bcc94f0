# SPDX-License-Identifier: Apache-2.0
"""Program that a command starts: its file, its interpreter, and why nothing can be preloaded."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from wirecost.observe.probe.run.elf import read_elf
from wirecost.system.errors import UserError

LONGEST_LINE = 4096
DEEPEST_SCRIPTS = 5
"""A script's interpreter may be a script; Linux follows so many."""
CAPABILITIES = "security.capability"


@dataclass(frozen=True)
class Target:
    """A command, and the files by which the kernel starts it.

    ``chain``: the file named, then the interpreter of a script, and so on; the last one is what
    the kernel loads. ``refusal``: why nothing can be preloaded into it, else None.
    """

    command: tuple[str, ...]
    chain: tuple[Path, ...]
    refusal: str | None

    @property
    def program(self) -> Path:
        return self.chain[-1]

    @property
    def is_python(self) -> bool:
        """Or something that starts Python, as the shims of version managers."""
        return any(path.resolve().name.startswith("python") for path in self.chain)


def find(command: list[str], search: str | None = None) -> Target:
    """Find the program of a command; ``search``: the PATH; None: this process's.

    Raises:
        UserError: there is no such program.
    """
    first = _located(command[0], search)
    chain = [first]
    try:
        while len(chain) <= DEEPEST_SCRIPTS and (words := _interpreter(chain[-1])):
            chain.append(_located(words[0], search))
            if chain[-1].name == "env" and (name := _of_env(words[1:])):
                chain.append(_located(name, search))
        refusal = _refusal(chain[-1])
    except OSError as error:
        raise UserError(f"{chain[-1]}: {error.strerror}; give a program that can be run") from error
    return Target(tuple(command), tuple(chain), refusal)


def _located(name: str, search: str | None) -> Path:
    path = shutil.which(name, path=search)
    if path is None:
        raise UserError(f"{name}: no such program; give the program to run after --")
    return Path(path)


def _interpreter(path: Path) -> list[str]:
    """Return the words of a script's first line behind ``#!``; none of another file."""
    with path.open("rb") as file:
        line = file.readline(LONGEST_LINE)
    if not line.startswith(b"#!"):
        return []
    return os.fsdecode(line[2:].strip()).split()


def _of_env(words: list[str]) -> str | None:
    """Return the program that ``env`` starts."""
    return next((word for word in words if not word.startswith("-") and "=" not in word), None)


def _refusal(path: Path) -> str | None:
    if _changes_rights(path):
        return "it gets other rights when it starts (setuid, setgid or capabilities)"
    elf = read_elf(path)
    if elf is None:
        return "it is no ELF program"
    if not elf.dynamic or elf.loader is None:
        return "it is linked statically"
    own = read_elf(Path(sys.executable).resolve())
    if own is not None and (elf.bits, elf.machine) != (own.bits, own.machine):
        return "it is of another architecture"
    if "ld-linux" not in Path(elf.loader).name:
        return f"it uses another C library than glibc ({Path(elf.loader).name})"
    return None


def _changes_rights(path: Path) -> bool:
    status = path.stat()
    if status.st_mode & stat.S_ISUID and status.st_uid != os.getuid():
        return True
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getgid():
        return True
    try:
        return os.getuid() != 0 and bool(os.getxattr(path, CAPABILITIES))
    except OSError:
        return False
