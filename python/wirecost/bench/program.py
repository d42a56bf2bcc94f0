# SPDX-License-Identifier: Apache-2.0
"""Programs of the contenders, run by lines: most were installed with the package."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost import _core, children
from wirecost.bench.entry import Sample
from wirecost.errors import UserError

INSTALLED = Path(_core.__file__).parent
SCHEMAS = INSTALLED / "schemas"
PROGRAMS = INSTALLED / "programs"

Report = Callable[[str, int], None]
"""Called with what runs now and the samples taken since the last call."""


class ProgramFailedError(Exception):
    """A contender's program failed or answered wrongly; the message says how."""


@dataclass(frozen=True)
class Program:
    """A C++ program that was installed with the package. Methods raise ProgramFailedError."""

    name: str

    @property
    def path(self) -> Path:
        return PROGRAMS / self.name

    def check_installed(self) -> None:
        """Raises UserError where it is missing."""
        if not self.path.is_file():
            raise UserError(f"{self.name} is not installed; install wirecost with `make run`")

    def lines(self, *arguments: str, before: Iterable[str] = ()) -> Iterator[str]:
        """What it prints, as it prints it. ``before``: words in front of the command."""
        return run([*before, str(self.path), *arguments])

    def rows(self, *arguments: str) -> list[list[str]]:
        """The lines it prints, split at tabs."""
        return [line.split("\t") for line in self.lines(*arguments)]

    def built(self) -> dict[str, str]:
        """Compiler and flags."""
        ((compiler, flags),) = self.rows("built")
        return {"compiler": compiler, "flags": flags}


def run(command: Sequence[str], standard_input: str = "") -> Iterator[str]:
    """The lines a program prints, as it prints them. Raises ProgramFailedError."""
    process = children.start(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with suppress(BrokenPipeError):  # its status says why
            process.stdin.write(standard_input)
            process.stdin.close()
        for line in process.stdout:
            yield line.rstrip("\n")
        errors = process.stderr.read()
        process.wait()
    finally:
        children.end(process)
    if process.returncode != 0:
        raise failed(f"`{' '.join(command[:3])} …`", process.returncode, errors)


def failed(name: str, status: int, errors: str) -> ProgramFailedError:
    """How a program ended, with the last line of its standard error."""
    last = errors.strip().rpartition("\n")[2]
    return ProgramFailedError(f"{name} {children.ending(status)}" + (f": {last}" if last else ""))


def only(keys: Iterable[str]) -> list[str]:
    """Options by which a program runs these contenders alone."""
    return [part for key in keys for part in ("--contender", key)]


def samples(lines: Iterable[str], sums: dict[str, int]) -> Iterator[Sample]:
    """What a program measured. Puts into ``sums`` what each contender's reading added up to while
    it was timed."""
    for line in lines:
        key, repetition, stage, value = line.split("\t")
        if stage == "sum":
            sums[key] = int(value)
        else:
            yield Sample(key, int(repetition), stage, float(value))


def rounds(samples: Iterable[Sample], report: Report) -> Iterator[list[Sample]]:
    """Samples of contenders in turns, a list for each repetition."""
    found: list[Sample] = []
    for one in samples:
        if found and one.repetition != found[0].repetition:
            yield found
            found = []
        found.append(one)
        report(one.key, 1 if one.stage == "total" else 0)
    yield found


class Conversation:
    """A program that answers commands line by line. It ends with its standard input, and so with
    the process that started it. Methods raise ProgramFailedError."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """``timeout_s``: the longest that an answer may take."""
        self.name = name
        self._timeout_s = timeout_s
        self._received = b""
        self._process: subprocess.Popen[bytes] = children.start(
            command,
            environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self.failure() from None

    def receive(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = None if self._timeout_s is None else time.monotonic() + self._timeout_s
        while b"\n" not in self._received:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], left)[0]:
                raise ProgramFailedError(f"{self.name} did not answer within {self._timeout_s:g} s")
            content = os.read(descriptor, 4096)
            if not content:
                raise self.failure()
            self._received += content
        line, _, self._received = self._received.partition(b"\n")
        return line.decode()

    def ask(self, command: str) -> str:
        self.send(command)
        return self.receive()

    def finish(self) -> list[str]:
        """Lets it end in order; the words that it prints until then."""
        output, errors = self._process.communicate(timeout=60)
        if self._process.returncode != 0:
            raise failed(self.name, self._process.returncode, errors.decode(errors="replace"))
        return (self._received + output).decode().split()

    def has_ended(self, within_s: float) -> bool:
        """Whether it has, or does so within some seconds."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        return self._process.returncode is not None

    def failure(self) -> ProgramFailedError:
        """How it ended, which it does if it has not yet."""
        if not self.has_ended(within_s=1):
            self._process.kill()
        _, errors = self._process.communicate()
        return failed(self.name, self._process.returncode, errors.decode(errors="replace"))

    def end(self) -> None:
        """Whatever it does."""
        children.end(self._process)
