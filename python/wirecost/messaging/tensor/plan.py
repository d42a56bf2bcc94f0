# SPDX-License-Identifier: Apache-2.0
"""Descriptions of tensors, kept for the next frame with the same one."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgpack

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.layout import Layout
from wirecost.messaging.tensor.source import Form

_MOST = 1024
_LONGEST = 512
_SMALL = 256
"""Bytes in which arrays cannot claim enough to matter: MessagePack lets none claim more elements
than there are bytes."""
_PLANS: dict[bytes, TensorPlan] = {}
"""Plans by the description behind the segment's number."""
_FIVE = b"\x95"
_NUMBER_ENDS = {0xCC: 3, 0xCD: 4, 0xCE: 6, 0xCF: 10}
"""Ends of numbers, by the first byte of one that has others."""


class TensorPlan(NamedTuple):
    """Plan of a tensor; ``direct``: one step makes an array of NumPy's, the sender's framework."""

    framework: Any
    form: Form
    direct: bool


def plan_of(payload: bytes) -> tuple[Any, TensorPlan]:
    """Return the segment and the form of a tensor's extension.

    Raises FrameError, and UserError for a package that is missing.
    """
    # Tensors of one form differ by their segment's number only.
    end = _number_ends(payload)
    key = payload[end:]
    cached = _PLANS.get(key) if end else None
    if cached is not None:
        return int.from_bytes(payload[2:end], "big") if end > 2 else payload[1], cached
    index, described, shape, axes, framework = fields_of(payload)
    form = Form(described, shape, axes)
    new_plan = TensorPlan(
        framework, form, framework == "numpy" and axes is None and not form.narrow
    )
    # A structure may hold references to what a caller could change.
    if end and type(index) is int and len(payload) <= _LONGEST and type(described) is str:
        if len(_PLANS) >= _MOST:
            _PLANS.clear()
        _PLANS[key] = new_plan
    return index, new_plan


def fields_of(payload: bytes) -> Any:
    """Return the fields of a tensor's extension: plain values.

    Raises FrameError, and msgpack's errors.
    """
    check_claims(payload)
    return msgpack.unpackb(payload, ext_hook=_no_values)


def _number_ends(payload: bytes) -> int:
    """Return where the first of five values ends, if it is an integer from 0; else 0."""
    if payload[:1] != _FIVE or len(payload) < 2:
        return 0
    first = payload[1]
    return 2 if first < 0x80 else _NUMBER_ENDS.get(first, 0)


def check_claims(packed: bytes) -> None:
    """Raise msgpack's errors for arrays that claim more elements than are there.

    Skipping takes no memory, reading would.
    """
    if len(packed) > _SMALL:
        check = msgpack.Unpacker(max_buffer_size=len(packed))
        check.feed(packed)
        check.skip()


def plan(layout: Layout) -> TensorPlan | None:
    """Return the plan of a frame that is one tensor; None for others and what is to be refused."""
    description = layout.description
    # MessagePack's extensions begin so, but for those of 1, 2, 4, 8 and 16 bytes.
    if len(layout.segments) != 1 or len(description) > _LONGEST or description[:1] not in _EXT:
        return None
    try:
        value = msgpack.unpackb(description)
        if type(value) is not msgpack.ExtType or value.code != codes.TENSOR:
            return None
        index, tensor_plan = plan_of(value.data)
    except Exception:
        # The reader finds and reports the same fault.
        return None
    good = type(index) is int and index == 0 and type(tensor_plan.framework) is str
    return tensor_plan if good and layout.segments[0][1] == tensor_plan.form.nbytes else None


_EXT = frozenset({b"\xc7", b"\xc8", b"\xc9"})


def _no_values(code: int, _: bytes) -> Any:
    raise FrameError(f"frame: a value of type {code} has no place in a tensor's description")
