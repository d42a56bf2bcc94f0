# SPDX-License-Identifier: Apache-2.0
"""What a data frame takes as a table of another framework, counted before it is made."""

from __future__ import annotations

import json
from typing import Any

from wirecost.tensor.budget import Budget
from wirecost.tensor.packages import load

_COLUMN_BYTES, _COLUMN_NANOSECONDS = 512, 1_000
_COPIES = 4
"""Of the attributes as text, until they are metadata."""
_LABEL_BYTES = 16
"""A label without what a text has in it."""


def afford_frame(frame: Any, budget: Budget) -> None:
    """Raises FrameError for more columns than a frame has bytes for, and for levels of an index
    whose labels, written out for each row, take more."""
    rows, columns = frame.shape
    if frame.attrs:
        budget.take("its attributes", _COPIES * _written(frame.attrs))
    budget.take("its table", _COLUMN_BYTES * columns, _COLUMN_NANOSECONDS * columns)
    if isinstance(frame.index, load("pandas").MultiIndex):
        for level in frame.index.levels:
            budget.take("its index", rows * (_LABEL_BYTES + _longest(level)))


def _written(attributes: Any) -> int:
    """Characters of what PyArrow writes into a table's metadata."""
    try:
        return len(json.dumps(attributes))
    except (TypeError, ValueError, RecursionError):
        return 0  # nor can PyArrow


def _longest(level: Any) -> int:
    """Bytes of the longest text among labels."""
    if level.dtype.kind in "biufcmM":
        return 0
    return max((4 * len(label) for label in level if isinstance(label, (str, bytes))), default=0)
