# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: programs that were installed with the package, a process per allocator."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from wirecost import scratch
from wirecost.bench.allocators import NAMED, loaded
from wirecost.bench.entry import Sample
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import (
    VERIFIED,
    Carried,
    Contender,
    Content,
    Counted,
    join,
)
from wirecost.bench.program import Program, ProgramFailedError, Report, only
from wirecost.errors import UserError

MEASURED, COUNTED = Program("notification_measured"), Program("notification_counted")
MESSAGES = 256
"""Distinct messages a sample goes through; together they stay below 256 KiB."""
OPTIONAL = {
    "gencpp/new/ros1": "apt-get install python3-gencpp libroscpp-core-dev, then build again",
    "fast-cdr/new/cdr": "apt-get install libfastcdr-dev, then build again",
}
_TOTALS = re.compile(r"^(?:summary|totals): (\d+)", re.MULTILINE)
_TRIGGER = re.compile(r"^desc: Trigger: Client Request: (\S+)", re.MULTILINE)


class Cpp:
    """See Backend. ``allocators``: under which each contender runs, of ``allocators.NAMED``; the
    empty one is what this program was started with."""

    lang = "cpp"

    def __init__(self, allocators: tuple[str, ...] = ("",)) -> None:
        self._allocators = allocators

    def missing(self) -> str | None:
        if MEASURED.path.is_file():
            return None
        return "its program is not installed; install wirecost from a checkout with `make run`"

    @cached_property
    def _codecs(self) -> list[Contender]:
        return [Contender(*row, lang="cpp") for row in MEASURED.rows("list")]

    @cached_property
    def _mallocs(self) -> dict[str, str | ProgramFailedError | UserError]:
        """The file of each allocator that can be had here, or why it cannot."""
        found: dict[str, str | ProgramFailedError | UserError] = {}
        for name in self._allocators:
            try:
                (line,) = MEASURED.lines("allocator", environment=_environment(name))
                found[name] = _loaded(line, name)
            except (ProgramFailedError, UserError) as error:
                found[name] = error
        return found

    def contenders(self) -> list[Contender]:
        return [
            replace(codec, allocator=name, malloc=file)
            for name, file in self._mallocs.items()
            if isinstance(file, str)
            for codec in self._codecs
        ]

    def not_run(self) -> dict[str, str]:
        there = {c.key for c in self._codecs}
        absent = {key.split("/")[0]: why for key, why in OPTIONAL.items() if key not in there}
        refused = {n: str(why) for n, why in self._mallocs.items() if not isinstance(why, str)}
        return absent | refused

    def messages(self, content: Content) -> list[str]:
        """Canonical lines of the content, for every language."""
        return list(MEASURED.lines("content", *_content(content, MESSAGES)))

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        found = []
        for name, codecs in _by_allocator(keys).items():
            arguments = ("verify", *_content(content, VERIFIED), *only(codecs))
            printed = MEASURED.lines(*arguments, environment=_environment(name))
            found += [replace(c, key=join(c.key, name)) for c in lines.carried(printed)]
        return found

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        asked = [*_content(content, MESSAGES), "--repetitions", str(repetitions)]
        faults: dict[str, str] = {}
        for name, codecs in _by_allocator(keys).items():
            printed = MEASURED.lines(
                "measure", *asked, *only(codecs), environment=_environment(name)
            )
            _loaded(next(printed, ""), name)
            try:
                for samples in lines.rounds(printed, report):
                    yield [replace(one, key=join(one.key, name)) for one in samples]
            except lines.OtherContentError as error:
                faults |= {join(key, name): fault for key, fault in error.faults.items()}
        if faults:
            raise lines.OtherContentError(faults)

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        counted = {}
        for name, codecs in _by_allocator(keys).items():
            arguments = ("count", *_content(content, MESSAGES), *only(codecs))
            allocations = dict(COUNTED.rows(*arguments, environment=_environment(name)))
            instructions = self._instructions(arguments, name)
            for codec in codecs:
                counted[join(codec, name)] = Counted(
                    float(allocations[codec]), instructions.get(codec)
                )
        return counted

    def _instructions(self, arguments: tuple[str, ...], allocator: str) -> dict[str, float]:
        """Instructions per message, from the dump that callgrind writes for each contender of the
        program that is measured. None where there is no callgrind, or the allocator does not run
        under it."""
        counted: dict[str, float] = {}
        if not shutil.which("valgrind"):
            return counted
        with scratch.folder("callgrind") as folder, suppress(ProgramFailedError):
            # A killed one would leave the pipes by which a debugger could reach it.
            command = ["valgrind", "--tool=callgrind", "--vgdb=no", "--collect-atstart=no"]
            command.append(f"--callgrind-out-file={folder}/out")
            environment = _environment(allocator)
            list(MEASURED.lines(*arguments, before=command, environment=environment))
            for path in folder.iterdir():
                text = path.read_text(errors="replace")
                trigger, total = _TRIGGER.search(text), _TOTALS.search(text)
                if trigger and total:
                    counted[trigger[1]] = int(total[1]) / MESSAGES
        return counted


def _environment(allocator: str) -> dict[str, str] | None:
    """Raises UserError where ours is not installed."""
    return NAMED[allocator].environment(os.environ) if allocator else None


def _loaded(line: str, allocator: str) -> str:
    """Raises ProgramFailedError."""
    return loaded(line, NAMED[allocator].allocator if allocator else None)


def _by_allocator(keys: Iterable[str]) -> dict[str, list[str]]:
    """Codecs as the program calls them, by the allocator they run under."""
    found: dict[str, list[str]] = {}
    for key in keys:
        codec, _, allocator = key.partition(" ")
        found.setdefault(allocator, []).append(codec)
    return found


def _content(content: Content, count: int) -> list[str]:
    return [
        *("--content", content.kind, "--factor", str(content.factor)),
        *("--seed", str(content.seed), "--count", str(count)),
    ]
