# SPDX-License-Identifier: Apache-2.0
"""What a description says of a tensor, kept for the next frame that says the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgpack

from wirecost.tensor import codes
from wirecost.tensor.errors import FrameError
from wirecost.tensor.layout import Layout
from wirecost.tensor.source import Form

_MOST = 1024
_LONGEST = 512
_SMALL = 256
"""Bytes in which arrays cannot claim enough to matter: MessagePack lets none claim more elements
than there are bytes."""
_PLANS: dict[bytes, Plan] = {}


class Plan(NamedTuple):
    """``direct``: an array of NumPy's that one step makes, in the sender's framework."""

    index: Any
    framework: Any
    form: Form
    direct: bool


def plan_of(payload: bytes) -> Plan:
    """Of a tensor's extension. Raises FrameError, and UserError for a package that is missing."""
    found = _PLANS.get(payload)
    if found is not None:
        return found
    check_claims(payload)
    index, described, shape, axes, framework = msgpack.unpackb(payload, ext_hook=_no_values)
    form = Form(described, shape, axes)
    made = Plan(index, framework, form, framework == "numpy" and axes is None and not form.narrow)
    # A structure may hold references to what a caller could change.
    if len(payload) <= _LONGEST and type(described) is str:
        if len(_PLANS) >= _MOST:
            _PLANS.clear()
        _PLANS[payload] = made
    return made


def check_claims(packed: bytes) -> None:
    """Raises msgpack's errors for arrays that claim more elements than are there: skipping takes no
    memory, reading would."""
    if len(packed) > _SMALL:
        check = msgpack.Unpacker(max_buffer_size=len(packed))
        check.feed(packed)
        check.skip()


def plan(layout: Layout) -> Plan | None:
    """For a frame that is one tensor; None for others and for what a reader must refuse."""
    description = layout.description
    # MessagePack's extensions begin so, but for those of 1, 2, 4, 8 and 16 bytes.
    if len(layout.segments) != 1 or len(description) > _LONGEST or description[:1] not in _EXT:
        return None
    try:
        value = msgpack.unpackb(description)
        if type(value) is not msgpack.ExtType or value.code != codes.TENSOR:
            return None
        made = plan_of(value.data)
    except Exception:
        # The reader finds the same fault and tells it.
        return None
    good = made.index == 0 and type(made.framework) is str
    return made if good and layout.segments[0][1] == made.form.nbytes else None


_EXT = frozenset({b"\xc7", b"\xc8", b"\xc9"})


def _no_values(code: int, _: bytes) -> Any:
    raise FrameError(f"frame: a value of type {code} has no place in a tensor's description")
