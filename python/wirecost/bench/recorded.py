# SPDX-License-Identifier: Apache-2.0
"""A race's part of the journal, where samples come in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from wirecost.records.journal import Journal, Run


class Sample(Protocol):
    """``key``: the contender's."""

    @property
    def key(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def repetition(self) -> int: ...
    @property
    def ns(self) -> float: ...


class RecordedRace:
    """``about``: what is known of each contender by now, by its key; of that, ``same`` are columns
    of its samples, and ``message_bytes`` their ``bytes``."""

    def __init__(
        self,
        journal: Journal,
        about: Mapping[str, Callable[[], dict[str, Any]]],
        same: tuple[str, ...],
    ) -> None:
        self._journal = journal
        self._about = about
        self._same = same
        self._runs: dict[str, Run] = {}

    def keep(self, samples: Iterable[Sample]) -> None:
        """A round that ended. All contenders have been verified before the first one."""
        for key in self._about:
            self._run(key)
        for one in samples:
            self._run(one.key).row(stage=one.stage, repetition=one.repetition, ns=one.ns)
        self._journal.flush()

    def end(self) -> None:
        """However the race ended: what became of its contenders."""
        for key, about in self._about.items():
            self._run(key).about(about())

    def _run(self, key: str) -> Run:
        if key not in self._runs:
            about = self._about[key]()
            columns = {name: about[name] for name in self._same}
            self._runs[key] = self._journal.run(about, {**columns, "bytes": about["message_bytes"]})
        return self._runs[key]
