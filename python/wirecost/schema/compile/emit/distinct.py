# SPDX-License-Identifier: Apache-2.0
"""Names that differ within a scope, whatever names a schema has."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_FEW = 3


class Distinct:
    """Names of one scope, each given to one thing: ``a``, ``a_``, ``a__``, ``a___``, ``a_4``.

    ``key``: what must differ of two names. ``mark``: what is put behind names that are taken.
    """

    def __init__(
        self, taken: Iterable[str] = (), mark: str = "_", key: Callable[[str], str] = str
    ) -> None:
        self._mark, self._key = mark, key
        self._taken = {key(name) for name in taken}
        self._tried: dict[str, int] = {}

    def __call__(self, wanted: str) -> str:
        times = self._tried.get(self._key(wanted), 0)
        while self._key(name := self._candidate(wanted, times)) in self._taken:
            times += 1
        self._tried[self._key(wanted)] = times
        self._taken.add(self._key(name))
        return name

    def _candidate(self, wanted: str, times: int) -> str:
        return wanted + (self._mark * times if times <= _FEW else f"{self._mark}{times}")
