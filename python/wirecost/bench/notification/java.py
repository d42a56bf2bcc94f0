# SPDX-License-Identifier: Apache-2.0
"""The Java contenders, measured by JMH: a virtual machine for each contender and stage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from wirecost import scratch
from wirecost.bench.entry import Sample
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import VERIFIED, Carried, Contender, Content, Counted
from wirecost.bench.program import PROGRAMS, ProgramFailedError, Report, run

JAR = PROGRAMS / "notification.jar"
PACKAGE = "wirecost.bench.notification"
STAGES = {"total": "total", "fill": "fill", "encode": "encode", "decode": "decode",
          "readAll": "read"}  # fmt: skip


class Java:
    """See Backend. ``messages`` gives the canonical lines of a content; only of ``detailed`` the
    stages are measured, because each takes a virtual machine of its own."""

    lang = "java"

    def __init__(
        self, messages: Callable[[Content], list[str]], detailed: Content | None = None
    ) -> None:
        self._messages = messages
        self._detailed = detailed

    def missing(self) -> str | None:
        if JAR.is_file() and shutil.which("java"):
            return None
        return (
            "apt-get install openjdk-17-jdk-headless maven, then install wirecost from a checkout "
            "with `make run`"
        )

    @cached_property
    def _contenders(self) -> list[Contender]:
        return [Contender(*row.split("\t"), lang="java") for row in self._run("Listing")]

    def contenders(self) -> list[Contender]:
        return self._contenders

    def not_run(self) -> dict[str, str]:
        return {}

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        by_name = {_program_name(key): key for key in keys}
        with _file(self._messages(content)[:VERIFIED]) as messages:
            found = lines.carried(self._run("Carry", str(messages), *by_name))
        return [Carried(by_name[c.key], c.index, c.encoded, c.decoded) for c in found]

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> Iterator[list[Sample]]:
        with _file(self._messages(content)) as messages:
            for key in keys:
                stages = STAGES if content == self._detailed else {"total": "total"}
                found = []
                for method, stage in stages.items():
                    report(f"{key} {stage}", 0)
                    times = self._time(messages, key, method, repetitions)
                    found += [Sample(key, i, stage, ns) for i, ns in enumerate(times)]
                yield found
                report(key, repetitions)

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        """Nothing: the compiled code's allocations are what escape analysis leaves of them."""
        del content, keys
        return {}

    def _time(self, messages: Path, key: str, method: str, repetitions: int) -> list[float]:
        """Nanoseconds per message of each of JMH's iterations."""
        name, mode = _program_name(key).split("/")
        out = messages.with_suffix(".json")
        list(
            self._run(
                "jmh",
                f"NotificationBenchmark.{method}$",
                *("-p", f"contender={name}", "-p", f"mode={mode}", "-p", f"messages={messages}"),
                *("-i", str(repetitions), "-rf", "json", "-rff", str(out)),
            )
        )
        results: list[dict[str, Any]] = json.loads(out.read_text())
        if not results:
            raise ProgramFailedError(f"{key}: JMH measured nothing")
        return [float(ns) for fork in results[0]["primaryMetric"]["rawData"] for ns in fork]

    @cached_property
    def _temporary(self) -> Path:
        """Where virtual machines and JMH put their files, and JMH its lock."""
        return scratch.make("java")

    def _run(self, program: str, *arguments: str) -> Iterable[str]:
        entry = (
            ["-jar", str(JAR)] if program == "jmh" else ["-cp", str(JAR), f"{PACKAGE}.{program}"]
        )
        return run(["java", f"-Djava.io.tmpdir={self._temporary}", *entry, *arguments])


@contextmanager
def _file(messages: list[str]) -> Iterator[Path]:
    """Messages in a file as long as the context lasts."""
    with scratch.folder("java") as folder:
        path = folder / "messages.txt"
        path.write_text("\n".join(messages) + "\n")
        yield path


def _program_name(key: str) -> str:
    """``wirecost/new/ros1`` as the program calls it: ``wirecost-ros1/new``."""
    name, mode, wire = key.split("/")
    program = {"protobuf": "protobuf-java", "wirecost": f"wirecost-{wire}"}.get(name, name)
    return f"{program}/{mode}"
