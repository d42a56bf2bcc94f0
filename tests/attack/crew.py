# SPDX-License-Identifier: Apache-2.0
"""Feed a reader in child processes that may die, hang or grow, and say which input did it."""

from __future__ import annotations

import hashlib
import mmap
import multiprocessing
import os
import resource
import signal
import struct
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

from attack.outcome import Attack, Budget, Fault, Outcome
from attack.target import Target, one_line

MEMORY = 2 << 30
"""Address space that a reader may take beyond what its process has mapped before, in bytes."""
START = 120.0
"""Seconds for a child to begin with its first input."""
BATCH = 20_000
"""Inputs that a child reads before its folder is looked at and it is made anew."""
DISTINCT = 20
"""Faults after which a reader is given up: it needs mending, not more of the same."""

_ACCEPTED, _REFUSED, _COMPLAINT = range(3)
_STATE = struct.Struct("=qqqq")
"""What a child tells as it goes on: inputs begun, and those accepted, refused and at fault."""


class Crew:
    """One target's inputs, read batch by batch."""

    def __init__(self, target: Target, budget: Budget, keep: Path) -> None:
        self.target = target
        self.budget = budget
        self.keep = keep
        self.corpus = target.corpus()
        self.outcome = Outcome()
        self.seen: set[str] = set()

    def run(self) -> Outcome:
        number = 0
        while (remaining := self.budget.left(number)) and len(self.seen) < DISTINCT:
            number = self._batch(number, number + min(remaining, BATCH))
        return self.outcome

    def _batch(self, first: int, last: int) -> int:
        """Read these inputs; the number of the first that is not read yet."""
        with tempfile.TemporaryDirectory(prefix="attack-") as name, _state(Path(name)) as state:
            folder = Path(name)
            scratch, complaints = folder / "scratch", folder / "complaints"
            scratch.mkdir()
            complaints.mkdir()
            # Not a fork: what the readers' libraries do in threads does not survive one.
            child = multiprocessing.get_context("spawn").Process(
                target=_read_all, args=(self.target, self.budget, first, last, folder)
            )
            child.start()
            hung = self._watch(child, state)
            begun, accepted, refused, complained = _STATE.unpack_from(state)
            if not begun and child.exitcode:
                raise RuntimeError(f"{self.target.name}: its process ended before any input")
            number = first + begun - 1
            self.outcome.accepted += accepted
            self.outcome.refused += refused
            for complaint in sorted(complaints.iterdir(), key=lambda path: int(path.name)):
                self._fault(int(complaint.name), complaint.read_text())
            if hung:
                patience = self.target.patience
                self._fault(number, f"hangs: more than {patience:.0f} s for one input")
                return number + 1
            if child.exitcode != 0:
                said = (folder / "said").read_text(errors="replace")[-4000:]
                self._fault(number, f"ends its process: {_ending(child.exitcode)}\n{said}")
                return number + 1
            if remains := sorted(path.name for path in scratch.iterdir() if _holds_files(path)):
                self._fault(
                    first, f"leaves files after inputs {first} to {last - 1}: {remains[:5]}"
                )
            return first + accepted + refused + complained

    def _watch(self, child: BaseProcess, state: mmap.mmap) -> bool:
        """Wait for the child; whether it hung and was killed."""
        at, since = 0, time.monotonic()
        while child.is_alive():
            child.join(0.05)
            number = _STATE.unpack_from(state)[0]
            if number != at:
                at, since = number, time.monotonic()
            elif time.monotonic() - since > (self.target.patience if number else START):
                child.kill()
                child.join()
                return True
        return False

    def _fault(self, number: int, what: str) -> None:
        """Keep the input, once for everything that reads the same from its second line on."""
        place = "\n".join(what.splitlines()[1:]) or what
        data = self.target.input(self.corpus, self.budget.seed, number)
        name = f"{self.target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
        path = self.keep / f"{name}.bin"
        if place not in self.seen:
            self.seen.add(place)
            self.keep.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            (self.keep / f"{name}.txt").write_text(what)
        self.outcome.faults.append(Fault(what.splitlines()[0], path))


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit status {code}"


def _limit() -> None:
    """Set the memory that is allowed from here on; no core files."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _state(folder: Path) -> mmap.mmap:
    """Memory that the child shares with who watches it."""
    with (folder / "state").open("a+b") as file:
        file.truncate(_STATE.size)
        return mmap.mmap(file.fileno(), _STATE.size)


def _holds_files(path: Path) -> bool:
    """Return whether the path holds files; a user's private folder stays, empty."""
    return not path.is_dir() or any(not inner.is_dir() for inner in path.rglob("*"))


def _read_all(target: Target, budget: Budget, first: int, last: int, folder: Path) -> None:
    corpus = target.corpus()
    # What libraries say of hostile input in C++ is said a million times.
    with (folder / "said").open("wb") as said:
        os.dup2(said.fileno(), 2)
    os.chdir(folder / "scratch")
    tempfile.tempdir = str(folder / "scratch")
    _limit()
    counts = [0, 0, 0]
    with _state(folder) as state:
        for number in range(first, last):
            if number % 64 == 0 and not budget.left(number):
                break
            _STATE.pack_into(state, 0, number - first + 1, *counts)
            data = target.input(corpus, budget.seed, number)
            counts[_verdict(target, data, folder / "complaints" / str(number))] += 1
        _STATE.pack_into(state, 0, number - first + 1, *counts)


def _verdict(target: Target, data: bytes, complaint: Path) -> int:
    """Return how the input ended; write what is wrong where it is a complaint."""
    try:
        target.read(data)
    except target.refusals as error:
        try:
            one_line(error)
        except Exception:
            complaint.write_text(_reported())
            return _COMPLAINT
        return _REFUSED
    except BaseException:  # whatever a reader raises is what is looked for
        complaint.write_text(_reported())
        return _COMPLAINT
    return _ACCEPTED


def _reported() -> str:
    """Return the error's own line, then where it was raised."""
    lines = traceback.format_exc().splitlines()
    return "\n".join([lines[-1][:500], *(line for line in lines if line.startswith("  File"))])


def attack_on(target: Target) -> Attack:
    """Return the target as an attack."""

    def attack(budget: Budget, keep: Path) -> Outcome:
        return Crew(target, budget, keep).run()

    return attack


@contextmanager
def _own_folder() -> Iterator[Path]:
    """Make a folder for this process's files; two that wrote the same name would collide."""
    former = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = former


def brief(target: Target, count: int, seed: int = 0) -> list[str]:
    """Read inputs in this very process, for tests that have seconds: the faults, in short."""
    corpus = target.corpus()
    lines = []
    with _own_folder() as folder:
        complaint = folder / "complaint"
        for number in range(count):
            data = target.input(corpus, seed, number)
            if _verdict(target, data, complaint) == _COMPLAINT:
                lines.append(f"{target.name}, seed {seed}, input {number}: {complaint.read_text()}")
    return lines


def kept(target: Target, folder: Path) -> list[str]:
    """Return today's faults of inputs that once caused one: ``<folder>/<target>/*``."""
    faults = []
    with _own_folder() as own:
        complaint = own / "complaint"
        for path in sorted((folder / target.name).glob("*")):
            if _verdict(target, path.read_bytes(), complaint) == _COMPLAINT:
                faults.append(f"{path}: {complaint.read_text()}")
    return faults
