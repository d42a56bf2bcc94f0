# SPDX-License-Identifier: Apache-2.0
"""Quality that is asked of a transport's endpoints beyond its own choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Scalar = str | int | float | bool
_T = TypeVar("_T", str, int, float, bool)


@dataclass(frozen=True)
class Quality:
    """Settings of endpoints; where it says nothing, a transport does as it does by itself."""

    reliable: bool | None = None
    """True: a sender waits, or what was lost is sent again; False: what has no room is lost."""
    queue: int | None = None
    """Messages that may wait at each end."""
    options: Mapping[str, Scalar] = field(default_factory=dict)
    """Options of one middleware, by the names in its file."""
    untouched: bool = False
    """True: all else is as the middleware's makers chose, not as wirecost did."""

    def get(self, name: str, default: _T) -> _T:
        """Return an option, of the type that ``default`` has.

        Raises ValueError for another type.
        """
        value = self.options.get(name, default)
        if type(value) is not type(default):
            raise ValueError(f"option {name} must be {type(default).__name__}, not {value!r}")
        return value

    def room(self, own: int, makers: int) -> int:
        """Return messages that may wait.

        wirecost would choose ``own``, and the middleware's makers chose ``makers``.
        """
        if self.queue is not None:
            return self.queue
        return makers if self.untouched else own

    def waits(self, own: bool = False, makers: bool = False) -> bool:
        """Return whether a sender without room waits; likewise."""
        if self.reliable is not None:
            return self.reliable
        return makers if self.untouched else own


OWN = Quality()
