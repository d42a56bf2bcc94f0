# SPDX-License-Identifier: Apache-2.0
"""Place of one command's own, so that everything that it leaves is seen.

It has temporary and run-time folders, results, and as root shared memory."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

import psutil

from support.quick import environment as quick

MARK = "WIRECOST_ATTACK_ARENA"
PROGRAM = Path(sys.executable).with_name("wirecost")
SHARED = Path("/dev/shm")
NUMBER = re.compile(r"[0-9a-f]*\d[0-9a-f]*")


class Arena:
    """Use as a context manager. Its root's path is short: sockets lie in it."""

    def __init__(self, shm_bytes: int = 1 << 30) -> None:
        self._shm_bytes = shm_bytes
        self._holder: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.root = Path(f"/tmp/wa-{secrets.token_hex(3)}")
        self.mark = secrets.token_hex(8)
        self.tmp, self.run, self.out = (self.root / name for name in ("t", "r", "o"))
        for folder in (self.root, self.tmp, self.run, self.out):
            folder.mkdir(0o700)
        if os.geteuid() == 0:
            self._hold()
        return self

    def __exit__(self, *_: object) -> None:
        self.end_all()
        if self._holder is not None:
            self._holder.communicate()
        shutil.rmtree(self.root, ignore_errors=True)

    def _hold(self) -> None:
        """Start a process whose mounts are its own."""
        size = self._shm_bytes
        script = f"mount -t tmpfs -o mode=1777,size={size} tmpfs {SHARED} && echo held && read line"
        holder = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert holder.stdout is not None
        if holder.stdout.readline().strip() == "held":
            self._holder = holder
        else:  # not permitted
            holder.communicate()

    def within(self, path: Path) -> Path:
        """Return a path of the arena's as it is seen from outside."""
        return path if self._holder is None else Path(f"/proc/{self._holder.pid}/root{path}")

    @property
    def holds(self) -> bool:
        """Return whether it has mounts, and so shared memory, of its own."""
        return self._holder is not None

    def mount(self, folder: Path, size: int) -> None:
        """Mount a file system of so many bytes in a folder's place, only where it ``holds``."""
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        subprocess.run([*self._enter(Path("/")), *words], check=True)

    def _enter(self, folder: Path) -> list[str]:
        if self._holder is None:
            return []
        return ["nsenter", "--target", str(self._holder.pid), "--mount", f"--wd={folder}"]

    def start(
        self,
        words: Sequence[str | Path],
        before: Sequence[str] = (),
        variables: dict[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start ``wirecost`` with these words, in a session of its own.

        ``before``: a command that starts it, such as prlimit with its options."""
        inherited = {name: value for name, value in quick().items() if name != "WIRECOST_RUN"}
        environment = {
            **inherited, "TMPDIR": str(self.tmp), "XDG_RUNTIME_DIR": str(self.run), MARK: self.mark,
            **(variables or {}),
        }  # fmt: skip
        return subprocess.Popen(
            [*self._enter(self.root), *before, str(PROGRAM), *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, cwd=self.root, start_new_session=True,
        )  # fmt: skip

    def processes(self) -> Iterator[psutil.Process]:
        """All that live and were started here."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                if process.environ().get(MARK) == self.mark:
                    yield process

    def end_all(self) -> None:
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def clear(self) -> None:
        """Restore the state of the beginning after a fault."""
        self.end_all()
        for place in (self.tmp, self.run, self.out, *([SHARED] if self.holds else [])):
            subprocess.run(
                ["find", str(self.within(place)), "-mindepth", "1", "-delete"], check=False
            )

    def left(self) -> set[str]:
        """Return all files beside results, numbers in names left out."""
        remains = {f"process {' '.join(process.cmdline())[:200]}" for process in self._alive()}
        places = [self.tmp, self.run] + ([SHARED] if self.holds else [])
        for place in places:
            there = self.within(place)
            remains |= {f"{place}/{path.relative_to(there)}" for path in there.rglob("*")}
        results = self.within(self.out)
        remains |= {str(path.relative_to(results)) for path in results.glob(".*")}
        return {NUMBER.sub("N", name.replace(str(self.root), "")) for name in remains}

    def _alive(self) -> Iterator[psutil.Process]:
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.cmdline()
                yield process
