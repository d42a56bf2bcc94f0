# SPDX-License-Identifier: Apache-2.0
"""OSI trace files: ``.osi``, ``.mcap`` and ``.txth`` behind one interface.

>>> with open_trace(Path("drive.mcap")) as trace:
...     for timestamp_ns, message in trace.frames(100, 200):
...         ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirecost.data.traces.opening import create_trace, open_trace
    from wirecost.data.traces.trace import About, Frame, Trace, TraceWriter

__all__ = ["About", "Frame", "Trace", "TraceWriter", "create_trace", "open_trace"]

# Commands list what they can be asked for without what reads traces.
_HOMES = {"create_trace": "opening", "open_trace": "opening"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'trace')}"), name)
