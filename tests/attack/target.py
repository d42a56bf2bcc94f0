# SPDX-License-Identifier: Apache-2.0
"""A reader under attack: what it is fed, how it reads, and how it may refuse."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attack.mutate import mutated
from wirecost.system.errors import UserError


@dataclass(frozen=True)
class Target:
    """``read(input)`` ends well or raises one of ``refusals``; anything else is a fault.

    ``corpus()`` gives good inputs to start from. It is called once in every process, and must give
    the same ones each time: an input is known by its number alone.
    """

    name: str
    corpus: Callable[[], Sequence[bytes]]
    read: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = (UserError,)
    mutate: Callable[[Sequence[bytes], random.Random], bytes] = mutated
    patience: float = 10.0
    """Seconds for one input; longer is a hang."""

    def input(self, corpus: Sequence[bytes], seed: int, number: int) -> bytes:
        """Return the input of that number, the same in every process."""
        return self.mutate(corpus, random.Random(f"{self.name} {seed} {number}"))


class RefusalError(Exception):
    """Error that is meant as a refusal, but is not one that a user can read."""


def one_line(error: Exception) -> None:
    """Raise RefusalError unless the message is one printable line."""
    text = str(error)
    if not text.strip() or any(not letter.isprintable() for letter in text) or len(text) > 2000:
        raise RefusalError(f"not one readable line: {text[:200]!r}") from error
