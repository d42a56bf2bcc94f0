# SPDX-License-Identifier: Apache-2.0
"""Reductions of columns by a writer, and how ``--reduce`` says them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

_NUMBER = re.compile(r"error:(.+)")


class Reduce(StrEnum):
    """Reduction of a column by a writer."""

    EXACT = "exact"
    """The type's own array."""
    AUTO = "auto"
    """The smallest of all forms that keep every bit."""
    FLOAT32 = "float32"
    """double as float."""
    ERROR = "error"
    """The smallest form whose values lie within ``Reduction.error``."""


@dataclass(frozen=True)
class Reduction:
    form: Reduce = Reduce.EXACT
    error: float = 0.0

    def __str__(self) -> str:
        return f"error:{self.error!r}" if self.form is Reduce.ERROR else self.form.value


EXACT = Reduction()


def parse_reduction(text: str) -> Reduction:
    """Parse ``exact``, ``auto``, ``float32`` or ``error:<positive number>``. Raises ValueError."""
    if match := _NUMBER.fullmatch(text):
        error = float(match[1])
        if not (math.isfinite(error) and error > 0):
            raise ValueError(text)
        return Reduction(Reduce.ERROR, error)
    form = Reduce(text)
    if form is Reduce.ERROR:
        raise ValueError(text)
    return Reduction(form)
