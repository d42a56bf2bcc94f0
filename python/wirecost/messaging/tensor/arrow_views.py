# SPDX-License-Identifier: Apache-2.0
"""Views of texts and bytes.

Arrow does not validate those under a null, but its casts read them; of views of the same text it
validates every one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wirecost.messaging.tensor.arrow_types import family, has_views
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load

_NANOSECONDS_PER_BYTE = 0.5
"""To find that bytes are UTF-8."""


def check_lengths(array: Any, budget: Budget) -> None:
    """Check an array that was not validated yet.

    Many views of one long text are as many texts to look at. Raises FrameError.
    """
    for views in _views(array):
        if family(views.type) == "text view" and len(views):
            memory = views.buffers()[1]
            count = min(len(views), memory.size // 16)
            lengths = np.frombuffer(memory, "<i4", 4 * count)[::4]
            seen = np.maximum(lengths, 0).sum(dtype=float)
            budget.take("texts that lie in each other", 0, seen * _NANOSECONDS_PER_BYTE)


def check_hidden_views(array: Any) -> None:
    """Raise ArrowInvalid where a null hides a view that is none; for arrays of valid content."""
    pa = load("pyarrow")
    for views in _views(array):
        buffers = [None, *views.buffers()[1:]]
        whole = pa.Array.from_buffers(pa.binary_view(), len(views), buffers, 0, views.offset)
        whole.validate(full=True)


def _views(array: Any) -> Iterator[Any]:
    """Yield the arrays of views in an array."""
    kind = array.type
    of = family(kind)
    if not has_views(kind):
        return
    if of == "extension":
        inner = [array.storage]
    elif of == "dictionary":
        inner = [array.dictionary]
    elif of in {"struct", "union"}:
        inner = [array.field(index) for index in range(kind.num_fields)]
    elif of == "map":
        inner = [array.keys, array.items]
    elif kind.num_fields:
        inner = [array.values]
    else:
        yield array
        return
    for part in inner:
        yield from _views(part)
