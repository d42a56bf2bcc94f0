# SPDX-License-Identifier: Apache-2.0
"""The Java contenders, measured by JMH."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wirecost.bench.notification.backend import (
    Carried,
    Contender,
    Content,
    Counted,
    Report,
    Sample,
)


class Java:
    """See Backend."""

    lang = "java"

    def __init__(self, messages: Callable[[Content], list[str]]) -> None:
        self._messages = messages

    def missing(self) -> str | None:
        return "not built"

    def contenders(self) -> list[Contender]:
        return []

    def not_run(self) -> dict[str, str]:
        return {}

    def carry(self, content: Content, keys: Iterable[str]) -> list[Carried]:
        return []

    def measure(
        self, content: Content, keys: list[str], repetitions: int, report: Report
    ) -> list[Sample]:
        return []

    def count(self, content: Content, keys: Iterable[str]) -> dict[str, Counted]:
        return {}
