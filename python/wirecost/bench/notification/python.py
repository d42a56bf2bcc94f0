# SPDX-License-Identifier: Apache-2.0
"""The Python contenders, in a process of their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from wirecost.bench.entry import Sample
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import VERIFIED, Carried, Contender, Content, Counted
from wirecost.bench.program import Report, run


class Python:
    """See Backend. ``messages`` gives the canonical lines of a content."""

    lang = "python"

    def __init__(self, messages: Callable[[Content], list[str]]) -> None:
        self._messages = messages

    def missing(self) -> str | None:
        return None

    @cached_property
    def _listed(self) -> list[list[str]]:
        return [line.split("\t") for line in self._run(command="list")]

    def contenders(self) -> list[Contender]:
        return [Contender(*row, lang="python") for row in self._listed if row[0] != "missing"]

    def not_run(self) -> dict[str, str]:
        return {row[1]: row[2] for row in self._listed if row[0] == "missing"}

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        messages = self._messages(content)[:VERIFIED]
        return lines.carried(self._run(command="carry", lines=messages, keys=list(keys)))

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        job = {"lines": self._messages(content), "keys": keys, "repetitions": repetitions}
        return lines.rounds(self._run(command="measure", **job), report)

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        """Nothing: an interpreter's allocations and instructions are mostly its own."""
        del content, keys
        return {}

    def _run(self, **job: Any) -> Iterable[str]:
        command = [sys.executable, "-P", "-m", "wirecost.bench.notification.python_worker"]
        return run(command, json.dumps(job))
