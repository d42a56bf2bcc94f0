# SPDX-License-Identifier: Apache-2.0
"""Sets and dicts out of keys that somebody may have chosen so that they collide.

Python keys the hashes of texts and bytes by a secret, but not those of numbers and tuples: whoever
sends k · (2^61 - 1) for many k makes a table whose every step visits all keys before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.errors import FrameError

_MOST_EQUAL = 64
"""Keys of one hash. Honest ones are few: 35 powers of two have the same."""
_LAST = 0xFFFF
_SLICE = 1024


def set_of(items: Sequence[Any], budget: Budget) -> set[Any]:
    """Raise FrameError where the items collide, TypeError where one cannot be hashed."""
    if len(items) <= _MOST_EQUAL:
        return set(items)
    _check(_hashes(items))
    members: set[Any] = set()
    _fill(len(items), lambda part: members.update(items[part]), budget)
    return members


def dict_of(keys: Sequence[Any], values: Sequence[Any], budget: Budget) -> dict[Any, Any]:
    """Make a dict likewise, of as many keys as values."""
    if len(keys) <= _MOST_EQUAL:
        return dict(zip(keys, values, strict=True))
    _check(_hashes(keys))
    items: dict[Any, Any] = {}
    _fill(len(keys), lambda part: items.update(zip(keys[part], values[part], strict=True)), budget)
    return items


def check_labels(labels: Sequence[Any]) -> None:
    """Check keys for pandas, whose tables know 32 bits of a hash. Raises as ``set_of``."""
    if len(labels) > _MOST_EQUAL:
        hashes = _hashes(labels).view(np.uint64)
        _check((hashes ^ (hashes >> np.uint64(32))) & np.uint64(0xFFFFFFFF))


def _hashes(keys: Sequence[Any]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, keys), np.int64, len(keys))


def _check(hashes: npt.NDArray[Any]) -> None:
    # Without many of the same last bits there are not many of the same hash.
    counts = np.bincount((hashes & hashes.dtype.type(_LAST)).astype(np.int64))
    if counts.max() <= _MOST_EQUAL + 4 * len(hashes) // _LAST:
        return
    ordered = np.sort(hashes)
    if (ordered[_MOST_EQUAL:] == ordered[:-_MOST_EQUAL]).any():
        raise FrameError(
            f"frame: more than {_MOST_EQUAL} keys have one hash, which looks like an attack;"
            " send them as an array"
        )


def _fill(count: int, add: Callable[[slice], None], budget: Budget) -> None:
    # Hashes that differ may be chosen so that their places in a table do not: only time shows it.
    ends = time.thread_time_ns() + budget.patience
    for start in range(0, count, _SLICE):
        add(slice(start, start + _SLICE))
        if time.thread_time_ns() > ends:
            raise FrameError(
                f"frame: {count:,} keys collide, which looks like an attack; send them as an array"
            )
