# SPDX-License-Identifier: Apache-2.0
"""Ends what eCAL has made, without a deadlock.

eCAL's Python binding ends endpoints, and eCAL itself, while it holds the interpreter's lock. There
it waits for eCAL's threads, and those for that lock if a message has just come: a program that
closes a subscriber while frames arrive stops for good, now and then. So eCAL's own functions are
called through ctypes, which lets go of the lock. Where the binding is not the one that this was
written for, it is called as it is.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
from pathlib import Path
from typing import Any

_VERSION = "6.1."
_FINALIZE = "_ZN4eCAL8FinalizeEv"
_OBJECT_BYTES = 256
"""More than any of eCAL's endpoints, each of which is one shared pointer."""
_HEADER = ctypes.sizeof(ctypes.c_size_t) * 2
"""Bytes of a Python object's header; behind it nanobind has where the C++ object is, and flags."""
_INSIDE, _DIRECT = _HEADER + 8, 1 << 2


def end(endpoint: Any) -> None:
    """End a subscriber, client or server of eCAL, whose callbacks do not come any more then.

    It must not be used afterwards.
    """
    functions = _functions(type(endpoint).__name__)
    offset = ctypes.c_int32.from_address(id(endpoint) + _HEADER).value
    flags = ctypes.c_uint32.from_address(id(endpoint) + _HEADER + 4).value
    if functions is None or offset != _INSIDE or not flags & _DIRECT:
        if hasattr(endpoint, "remove_receive_callback"):
            endpoint.remove_receive_callback()
        return
    move, destroy = functions
    moved = ctypes.create_string_buffer(_OBJECT_BYTES)
    move(moved, id(endpoint) + offset)
    destroy(moved)


def finalize(core: Any) -> None:
    """End eCAL in this process."""
    library = _library()
    if library is None:
        core.finalize()
    else:
        library[_FINALIZE]()


@functools.cache
def _functions(name: str) -> tuple[Any, Any] | None:
    """Return the constructor that takes an object's content over, and the destructor."""
    library = _library()
    if library is None:
        return None
    kind = f"_ZN4eCAL{len(name) + 1}C{name}"
    try:
        move, destroy = library[f"{kind}C1EOS0_"], library[f"{kind}D1Ev"]
    except AttributeError:
        return None
    move.argtypes, move.restype = (ctypes.c_void_p, ctypes.c_void_p), None
    destroy.argtypes, destroy.restype = (ctypes.c_void_p,), None
    return move, destroy


@functools.cache
def _library() -> Any:
    """Return eCAL as its binding has loaded it; None if it is another."""
    core = importlib.import_module("ecal.nanobind_core")
    package = importlib.util.find_spec("ecal")
    same_version = core.get_version_string().removeprefix("v").startswith(_VERSION)
    if package is None or package.origin is None or not same_version:
        return None
    try:
        library = ctypes.CDLL(str(Path(package.origin).with_name("libecal_core.so.6")))
    except OSError:
        return None
    return library if hasattr(library, _FINALIZE) else None
