# SPDX-License-Identifier: Apache-2.0
"""Messages to frames and back; the path of a single NumPy array is kept short.

What C++ can do of it, it does (``native``); all else is done here, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np

from wirecost.messaging.tensor import native
from wirecost.messaging.tensor import values as _values  # noqa: F401  fills the table of handlers
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.devices import POLICY
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.frame import Frame
from wirecost.messaging.tensor.layout import (
    HEADER_BYTES,
    HEADER_BYTES_AT,
    PREFIX,
    SUM,
    Layout,
    build,
    header_of,
    parse,
)
from wirecost.messaging.tensor.matching import families, match
from wirecost.messaging.tensor.memory import Memory, Pieces, own_copy
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.plan import TensorPlan, plan
from wirecost.messaging.tensor.reader import Reader, budget_of, planned, restored, tensor_of
from wirecost.messaging.tensor.registry import is_own
from wirecost.messaging.tensor.source import Source
from wirecost.messaging.tensor.writer import HANDLERS, Writer

_MOST_CACHED = 256
_MOST_CACHED_BYTES = 4096
_HEADERS: dict[Any, tuple[bytes, Layout]] = {}
_PLANS: dict[bytes, tuple[Layout, TensorPlan | None]] = {}
# The last of each is looked at first: it is found without hashing, which is slow in cold caches.
_LATEST_HEADER: list[tuple[Any, ...]] = [(None, None, None, None)]
_LATEST_PLAN: list[tuple[bytes, tuple[Layout, TensorPlan | None] | None]] = [(b"", None)]
_encode = native.binding.encode if native.binding else None
_decode = native.binding.decode if native.binding else None
if native.binding:
    native.binding.use(HANDLERS, match, msgpack.ExtType, Pieces, budget_of, restored, planned)
    Frame.register(native.binding.Frame)


def encode(
    obj: Any, *, device_to_host: Callable[[Any], Any] | None = None, checksum: bool = False
) -> Frame:
    """Return a frame that refers to the memory of the tensors in ``obj``, without a copy if it can.

    ``device_to_host``: gets each tensor that lies on a device and returns one in the host's memory,
    as ``to_host`` does; without it, what ``use_devices`` said. ``checksum``: of the data; needs
    xxhash here and at the receiver. Raises UserError for what frames have no form for.
    """
    if _encode is not None and not checksum and device_to_host is None:
        frame: Frame | None = _encode(obj)
        if frame is not None:
            return frame
    if type(obj) is np.ndarray and obj.flags.c_contiguous:
        dtype, shape = obj.dtype, obj.shape
        latest = _LATEST_HEADER[0]
        if latest[0] is dtype and latest[1] == shape and latest[2] is checksum:
            return Frame(latest[3][0], latest[3][1], [obj], 0, 0)
        key = dtype, shape, checksum
        header = _HEADERS.get(key)
        if header is not None:
            _LATEST_HEADER[0] = *key, header
            return Frame(header[0], header[1], [obj], 0, 0)
    else:
        key = None
    if checksum:
        load("xxhash")
    writer = Writer(match, device_to_host or POLICY.device_to_host)
    description = writer.pack(obj)
    header = build(description, [segment.nbytes for segment in writer.segments], checksum)
    if key is not None:
        if len(_HEADERS) >= _MOST_CACHED:
            _HEADERS.clear()
        _HEADERS[key] = header
    return Frame(header[0], header[1], writer.segments, writer.copies, writer.copied_bytes)


def decode(
    buffer: Any,
    *,
    as_: str | None = None,
    writable: bool = False,
    copy: bool = False,
    owner: Any = None,
) -> Any:
    """Return the object of a frame at the start of ``buffer``; its tensors lie in the buffer.

    ``as_``: framework of the tensors (``"numpy"``, ``"torch"``, …) or of the tables (``"pandas"``,
    ``"polars"``, ``"pyarrow"``), else the sender's; ``"compressed"`` leaves compressed tensors as
    they are. Arrays are read-only unless ``writable``, but for those that were compressed; PyTorch,
    PaddlePaddle and MXNet know no read-only tensors: do not write to theirs. ``copy``: into memory
    of the message's own, which is writable. ``owner``: kept alive by the tensors and let go of with
    the last of them. Raises FrameError for bytes that are no whole frame, or whose message would
    take more than 8 times their number and 16 MiB beside the copy, and 256 MiB for compressed
    tensors, and UserError for a package that is missing.
    """
    if _decode is not None and not writable and not copy and (as_ is None or as_ == "numpy"):
        message = _decode(buffer, owner)
        if message is not NotImplemented:
            return message if POLICY.host_to_device is None else _placed(message)
    view = memoryview(buffer)
    if view.format != "B" or view.ndim != 1:
        view = view.cast("B")
    planned = _known(view)
    if planned is None or planned[0].total > len(view):
        planned = _learn(header_of(view))
    layout, short = planned
    if layout.checksum:
        _verify(view, layout)
    if copy:
        memory = Memory(own_copy(view[: layout.total]), True, None)
    else:
        memory = Memory(view, writable, owner)
    if short is None:
        reader = Reader(memory, layout.segments, as_, Budget(layout.total))
        return _placed(reader.message(layout.description))
    (segment,) = layout.segments
    form = short.form
    if short.direct and (as_ is None or as_ == "numpy"):
        return _placed(memory.array(segment[0], form.shape, form.dtype))
    source = Source(memory, segment, form, Budget(layout.total))
    return _placed(tensor_of(source, _checked(as_), short.framework))


def _placed(message: Any) -> Any:
    place = POLICY.host_to_device
    return message if place is None or is_own(type(message)) else place(message)


def _known(view: memoryview) -> tuple[Layout, TensorPlan | None] | None:
    """Return what was planned for a header of the same bytes, which was checked then."""
    header, planned = _LATEST_PLAN[0]
    if planned is not None and bytes(view[: len(header)]) == header:
        return planned
    if len(view) < PREFIX.size:
        return None
    (size,) = HEADER_BYTES.unpack_from(view, HEADER_BYTES_AT)
    if size > _MOST_CACHED_BYTES:
        return None
    header = bytes(view[:size])
    planned = _PLANS.get(header)
    if planned is not None:
        _LATEST_PLAN[0] = header, planned
    return planned


def _checked(as_: str | None) -> str | None:
    return families(as_)[0]


def _learn(header: bytes) -> tuple[Layout, TensorPlan | None]:
    layout = parse(header)
    planned = layout, plan(layout)
    if len(header) <= _MOST_CACHED_BYTES:
        if len(_PLANS) >= _MOST_CACHED:
            _PLANS.clear()
        _PLANS[header] = planned
    return planned


def _verify(view: memoryview, layout: Layout) -> None:
    data = view[layout.header_bytes : layout.end]
    (expected,) = SUM.unpack_from(view, layout.total - SUM.size)
    if load("xxhash", "let the sender encode without checksum").xxh3_64_intdigest(data) != expected:
        raise FrameError("frame: its data was changed in transit (checksum differs)")
