# SPDX-License-Identifier: Apache-2.0
"""A result folder while it is filled: ``.<name>.partial``, with a lock file beside it.

The lock shows that the run that fills it still lives. The folder gets its name when all is in it.
What a killed run left is brought to an end by the next one that writes into the same place: what it
had measured becomes a folder, else nothing stays.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from wirecost.results.records import journal
from wirecost.results.records.finished import NothingMeasuredError, finish
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.locks import Lock, claim, of_the_dead
from wirecost.system.whole_file import check_room, made_folder

PARTIAL, LOCK = ".partial", ".partial.lock"
KILLED = "killed"
MOST_NEIGHBOURS = 1000


@dataclass
class PendingFolder:
    """A folder that is being filled.

    ``path`` is filled; ``keep`` makes it ``final``, or a free name like that, which ``final`` is
    from then on.
    """

    path: Path
    final: Path
    recovered: list[Path] = field(default_factory=list)
    """Folders with what killed runs had measured, made when this one was."""
    kept: bool = False
    """It has its name."""
    left: bool = False
    """It stays as it is, for the next run to end."""

    def keep(self) -> None:
        """Give the folder its name. Raises OSError."""
        if not self.kept and not self.left:
            self.final = _named(self.path, self.final)
            self.kept = True

    def leave(self) -> None:
        """Leave what is in ``path`` there until the next run."""
        self.left = True


@contextmanager
def new_folder(scenario: str, out: Path | None) -> Iterator[PendingFolder]:
    """Yield a folder to fill, this run's alone.

    It is kept where its context ends well, else removed, unless ``keep`` or ``leave`` was called
    before. ``out`` names the folder; without it a dated one is made below ``results``. Raises
    UserError if it is taken, another run fills it, or it cannot be made.
    """
    name = f"{datetime.now():%Y-%m-%dT%H-%M-%S}-{scenario}"
    final = out if out is not None else Path("results") / name
    with ExitStack() as parents:
        try:
            if final.is_symlink():
                final = final.resolve()
            if final.exists() and (not final.is_dir() or any(final.iterdir())):
                raise UserError(f"{final}: exists and is not empty; name another folder with --out")
            parents.enter_context(made_folder(final.parent))
            pending, lock = _claimed(final)
        except (OSError, ValueError) as error:
            raise failed_write(final, error, "name a writable --out") from error
        try:
            yield pending
            pending.keep()
        finally:
            if not pending.kept and not pending.left:
                shutil.rmtree(pending.path, ignore_errors=True)
            lock.release(remove=not pending.left)


def _claimed(final: Path) -> tuple[PendingFolder, Lock]:
    """Return the lock of a folder, which is this run's.

    Raises OSError, also where not even a page can be written; UserError if another run fills it.
    """
    lock = claim(final.with_name(f".{final.name}{LOCK}"))
    if lock is None:
        raise UserError(f"{final}: another run is filling it; name another folder with --out")
    pending = PendingFolder(final.with_name(f".{final.name}{PARTIAL}"), final)
    try:
        pending.recovered = _recover_all(lock)
        check_room(final.parent)
        pending.path.mkdir()
    except BaseException:
        lock.release(remove=not pending.path.exists())
        raise
    return pending, lock


def _recover_all(mine: Lock) -> list[Path]:
    """End what killed runs began beside the folder that ``mine`` is the lock of, and in its place.

    Raises OSError, UserError if what lies in its place cannot be ended.
    """
    recovered = [_recover(mine, taken=True)]
    for path in sorted(mine.path.parent.glob(f".*{LOCK}")):
        if path == mine.path or (lock := of_the_dead(path)) is None:
            continue
        ended = False
        try:
            recovered.append(_recover(lock, taken=False))
            ended = True
        except (OSError, UserError):  # not this run's trouble; the next one tries again
            pass
        finally:
            lock.release(remove=ended)
    return [path for path in recovered if path is not None]


def _recover(lock: Lock, taken: bool) -> Path | None:
    """Return where what a killed run had measured is now, None where it had measured nothing.

    ``taken``: its own name is another's now.
    """
    name = lock.path.name.removeprefix(".").removesuffix(LOCK)
    partial, final = lock.path.with_name(f".{name}{PARTIAL}"), lock.path.with_name(name)
    if not partial.is_dir() or partial.is_symlink() or partial.lstat().st_uid != os.geteuid():
        return None
    if (partial / journal.NAME).exists():
        try:
            finish(partial, KILLED)
        except NothingMeasuredError:
            shutil.rmtree(partial)
            return None
        except OSError as error:
            raise UserError(
                f"{partial}: a killed run's samples, which cannot be written ({error.strerror}); "
                "make room, or name another --out"
            ) from error
    elif not any((partial / name).exists() for name in ("meta.json", "trial.json")):
        shutil.rmtree(partial)
        return None
    return _named(partial, final, taken)


def _named(partial: Path, final: Path, taken: bool = False) -> Path:
    """Give the folder the name, or the first free one of ``<name>-2``, ``<name>-3``, ….

    Raises OSError.
    """
    for number in range(2 if taken else 1, MOST_NEIGHBOURS):
        name = final if number == 1 else final.with_name(f"{final.name}-{number}")
        # In the place of an empty folder only if it is the one that was asked for.
        if number > 1 and os.path.lexists(name):
            continue
        try:
            partial.rename(name)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        except OSError as error:
            if error.errno == errno.ENOTEMPTY:
                continue
            raise
        return name
    raise FileExistsError(errno.EEXIST, "so many folders of that name exist", str(final))
