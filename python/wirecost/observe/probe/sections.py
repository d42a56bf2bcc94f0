# SPDX-License-Identifier: Apache-2.0
"""Sections as context managers and decorators, over the C library in ``wirecost._core``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from wirecost import _core

_P = ParamSpec("_P")
_R = TypeVar("_R")


def enabled() -> bool:
    """Return whether this program records."""
    return _core.probe_enabled()


def prepare_thread() -> None:
    """Create the calling thread's log now, not in its first section."""
    _core.probe_prepare_thread()


class Section:
    """A section of the program, recorded each time it is left, exceptions included.

    As a context manager, plain or with what is known of this execution::

        callback = Section("callback")
        with callback.run(loop=i) as execution:
            execution.value = len(points)

    As a decorator: ``@Section("callback")``; where nothing is recorded it gives the function back
    as it is. A section must be left by the thread that entered it, so it must not hold an await.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._id = _core.probe_section(name)

    def run(self, *, loop: int | None = None, value: int = 0) -> Execution:
        """Return one execution.

        ``loop``: from 0 (None: counted, or that of the section around it); ``value``: a 64-bit
        integer of the program's choice, as the input's size.
        """
        return Execution(self._id, loop, value)

    def mark(self, part: int, *, loop: int | None = None, value: int = 0) -> None:
        """Record one instant of a part, 0 to 65535. Reads no counter.

        ``wirecost probe show`` prints the time from one part to the next of the same loop.
        """
        _core.probe_mark(self._id, part, _core.PROBE_COUNT_LOOPS if loop is None else loop, value)

    def __enter__(self) -> Self:
        _core.probe_begin(self._id, _core.PROBE_COUNT_LOOPS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.probe_end(self._id, 0)

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        """Return the function, each call of it recorded."""
        if not enabled():
            return function

        @functools.wraps(function)
        def recorded(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with self:
                return function(*args, **kwargs)

        return recorded


class Execution:
    """One execution of a section; ``value`` may be set until it is left."""

    __slots__ = ("_id", "_loop", "value")

    def __init__(self, section: int, loop: int | None, value: int) -> None:
        self._id = section
        self._loop = _core.PROBE_COUNT_LOOPS if loop is None else loop
        self.value = value

    def __enter__(self) -> Self:
        _core.probe_begin(self._id, self._loop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.probe_end(self._id, self.value)
