# SPDX-License-Identifier: Apache-2.0
"""Control group of version 2 for some processes and all that they start.

It has their processor time, also that of what has ended by now.

Groups are folders, which stay when their maker is killed: the next one removes those whose maker
is dead, as far as it can see that: not those of other containers. They lie in one that gives no
controller on, so that processes are scheduled as before.
"""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.system.closing import Closing

NAME = "wirecost"


@dataclass(frozen=True)
class Spent:
    """Nanoseconds, in whole microseconds as the kernel gives them."""

    cpu_ns: int
    user_ns: int
    system_ns: int


def root() -> Path | None:
    """Return where this machine's groups of version 2 are mounted."""
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            words = line.split()
            if len(words) > 2 and words[2] == "cgroup2":
                return Path(words[1])
    return None


class Group(Closing):
    """One with no process in it. Raises OSError where none can be made."""

    def __init__(self, parent: Path | None = None) -> None:
        """Make the group in ``parent``, by default the root's own for all runs."""
        if parent is None:
            mounted = root()
            if mounted is None:
                raise FileNotFoundError("no control groups of version 2 are mounted")
            parent = mounted / NAME
        self._homes: dict[str, Path] = {}
        self._home = parent.parent
        self.folder = parent / f"{_maker(os.getpid())}-{secrets.token_hex(3)}"
        try:
            _make(self.folder)
        except FileNotFoundError:  # another run, which was the last one, has removed its parent
            _make(self.folder)
        # Also where nobody closes it, but not where this process is killed.
        self._end = weakref.finalize(self, _remove, self.folder, self._homes, self._home)
        try:
            self.read()
        except (OSError, KeyError) as error:
            self.close()
            raise OSError(f"{self.folder}: no CPU time ({error})") from error

    def add(self, processes: Iterable[int]) -> None:
        """Add processes with all their threads; what they use from now on counts.

        Raises OSError.
        """
        for process in map(str, processes):
            self._homes[process] = self._home / _group_of(process)
            (self.folder / "cgroup.procs").write_text(process)

    def read(self) -> Spent:
        """Since it was made."""
        values = {}
        for line in (self.folder / "cpu.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            values[name] = int(value) * 1000
        return Spent(values["usage_usec"], values["user_usec"], values["system_usec"])

    def close(self) -> None:
        """Move its processes back to where they were, and what they started with them."""
        self._end()


def _make(folder: Path) -> None:
    """Make a group with its parent, in which what others left is removed. Raises OSError."""
    folder.parent.mkdir(exist_ok=True)
    _sweep(folder.parent)
    folder.parent.mkdir(exist_ok=True)  # which has gone with the last of what they left
    folder.mkdir()


def _remove(folder: Path, homes: Mapping[str, Path], root: Path) -> None:
    home = next(iter(homes.values()), root)
    with suppress(OSError):
        for process in (folder / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (homes.get(process, home) / "cgroup.procs").write_text(process)
    with suppress(OSError):
        folder.rmdir()
    with suppress(OSError):
        folder.parent.rmdir()  # where it was the last one


def _sweep(parent: Path) -> None:
    """Remove groups whose maker is dead."""
    for folder in parent.iterdir():
        maker = folder.name.rpartition("-")[0]
        space, _, rest = maker.partition("-")
        process = rest.partition("-")[0]
        if space != _space() or not process.isdigit():
            continue  # a process of another container cannot be looked up
        if folder.is_dir() and maker != _maker(int(process)):
            _remove(folder, {}, parent.parent)


def _group_of(process: str) -> str:
    """Below the root of version 2. Raises OSError."""
    for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
        if line.startswith("0::/"):
            return line.removeprefix("0::/")
    return ""


def _maker(process: int) -> str:
    """Return a name that no other process of this machine has ever had."""
    return f"{_space()}-{process}-{_begin(process)}"


def _space() -> str:
    """Return the namespace in which this process's numbers of processes hold."""
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _begin(process: int) -> str:
    """When a process began, in ticks since boot; empty where it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
