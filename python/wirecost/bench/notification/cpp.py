# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders: programs that were installed with the package."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cached_property

from wirecost import scratch
from wirecost.bench.entry import Sample
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import VERIFIED, Carried, Contender, Content, Counted
from wirecost.bench.program import Program, Report, only

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
    """See Backend."""

    lang = "cpp"

    def missing(self) -> str | None:
        if MEASURED.path.is_file():
            return None
        return "its program is not installed; install wirecost from a checkout with `make run`"

    @cached_property
    def _contenders(self) -> list[Contender]:
        return [Contender(*row, lang="cpp") for row in MEASURED.rows("list")]

    def contenders(self) -> list[Contender]:
        return self._contenders

    def not_run(self) -> dict[str, str]:
        there = {c.key for c in self._contenders}
        return {key.split("/")[0]: why for key, why in OPTIONAL.items() if key not in there}

    def messages(self, content: Content) -> list[str]:
        """Canonical lines of the content, for every language."""
        return list(MEASURED.lines("content", *_content(content, MESSAGES)))

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        arguments = ("verify", *_content(content, VERIFIED), *only(keys))
        return lines.carried(MEASURED.lines(*arguments))

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        arguments = [*_content(content, MESSAGES), "--repetitions", str(repetitions), *only(keys)]
        return lines.rounds(MEASURED.lines("measure", *arguments), report)

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        keys = list(keys)
        arguments = ("count", *_content(content, MESSAGES), *only(keys))
        allocations = dict(COUNTED.rows(*arguments))
        instructions = self._instructions(arguments) if shutil.which("valgrind") else {}
        return {key: Counted(float(allocations[key]), instructions.get(key)) for key in keys}

    def _instructions(self, arguments: tuple[str, ...]) -> dict[str, float]:
        """Instructions per message, from the dump that callgrind writes for each contender."""
        with scratch.folder("callgrind") as folder:
            # A killed one would leave the pipes by which a debugger could reach it.
            command = ["valgrind", "--tool=callgrind", "--vgdb=no", "--collect-atstart=no"]
            command.append(f"--callgrind-out-file={folder}/out")
            list(COUNTED.lines(*arguments, before=command))
            counted = {}
            for path in folder.iterdir():
                text = path.read_text(errors="replace")
                trigger, total = _TRIGGER.search(text), _TOTALS.search(text)
                if trigger and total:
                    counted[trigger[1]] = int(total[1]) / MESSAGES
        return counted


def _content(content: Content, count: int) -> list[str]:
    return [
        *("--content", content.kind, "--factor", str(content.factor)),
        *("--seed", str(content.seed), "--count", str(count)),
    ]
