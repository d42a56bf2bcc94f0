# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: a program that was installed with the package."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cached_property

from wirecost import scratch
from wirecost.bench.contenders import INSTALLED
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import (
    Carried,
    Contender,
    Content,
    Counted,
    Report,
    Sample,
)

PROGRAMS = INSTALLED / "programs"
MESSAGES = 256
"""Distinct messages a sample goes through; together they stay below 256 KiB."""
VERIFIED = 64
OPTIONAL = {
    "gencpp/new/ros1": "apt-get install python3-gencpp libroscpp-core-dev, then build again",
    "fast-cdr/new/cdr": "apt-get install libfastcdr-dev, then build again",
}
_TOTALS = re.compile(r"^(?:summary|totals): (\d+)", re.MULTILINE)
_TRIGGER = re.compile(r"^desc: Trigger: Client Request: (\S+)", re.MULTILINE)


class Cpp:
    """See Backend."""

    lang = "cpp"

    def missing(self) -> str | None:
        if (PROGRAMS / "notification_measured").is_file():
            return None
        return "its program is not installed; install wirecost from a checkout with `make run`"

    @cached_property
    def _contenders(self) -> list[Contender]:
        rows = [line.split("\t") for line in self._run("measured", "list")]
        return [Contender("cpp", *row) for row in rows]

    def built(self) -> dict[str, str]:
        """Compiler and flags of the program."""
        compiler, flags = next(iter(self._run("measured", "built"))).split("\t")
        return {"compiler": compiler, "flags": flags}

    def contenders(self) -> list[Contender]:
        return self._contenders

    def not_run(self) -> dict[str, str]:
        there = {c.key for c in self._contenders}
        return {key.split("/")[0]: why for key, why in OPTIONAL.items() if key not in there}

    def messages(self, content: Content) -> list[str]:
        """Canonical lines of the content, for every language."""
        return list(self._run("measured", "content", *_content(content, MESSAGES)))

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        arguments = ("verify", *_content(content, VERIFIED), *_only(keys))
        return lines.carried(self._run("measured", *arguments))

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        arguments = [*_content(content, MESSAGES), "--repetitions", str(repetitions), *_only(keys)]
        return lines.rounds(self._run("measured", "measure", *arguments), report)

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        keys = list(keys)
        arguments = ("count", *_content(content, MESSAGES), *_only(keys))
        allocations = dict(line.split("\t") for line in self._run("counted", *arguments))
        instructions = self._instructions(arguments) if shutil.which("valgrind") else {}
        return {key: Counted(float(allocations[key]), instructions.get(key)) for key in keys}

    def _instructions(self, arguments: tuple[str, ...]) -> dict[str, float]:
        """Instructions a message, from the dump that callgrind writes for each contender."""
        with scratch.folder("callgrind") as folder:
            command = ["valgrind", "--tool=callgrind", "--collect-atstart=no"]
            command.append(f"--callgrind-out-file={folder}/out")
            list(self._run("counted", *arguments, before=command))
            counted = {}
            for path in folder.iterdir():
                text = path.read_text(errors="replace")
                trigger, total = _TRIGGER.search(text), _TOTALS.search(text)
                if trigger and total:
                    counted[trigger[1]] = int(total[1]) / MESSAGES
        return counted

    def _run(self, program: str, *arguments: str, before: Iterable[str] = ()) -> Iterator[str]:
        return lines.run([*before, str(PROGRAMS / f"notification_{program}"), *arguments])


def _content(content: Content, count: int) -> list[str]:
    return [
        *("--content", content.kind, "--factor", str(content.factor)),
        *("--seed", str(content.seed), "--count", str(count)),
    ]


def _only(keys: Iterable[str]) -> list[str]:
    return [part for key in keys for part in ("--contender", key)]
