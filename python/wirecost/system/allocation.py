# SPDX-License-Identifier: Apache-2.0
"""Which malloc a process calls, and the variables that change it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

VARIABLES = (
    "GLIBC_TUNABLES", "LD_PRELOAD", "MALLOC_", "_RJEM_MALLOC_CONF", "MIMALLOC_", "TCMALLOC_",
    "WIRECOST_HEAP_", "WIRECOST_TLSF_",
)  # fmt: skip
"""What the names of such variables begin with."""


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Those that are set."""
    return {name: value for name, value in environment.items() if name.startswith(VARIABLES)}


class _Symbol(ctypes.Structure):
    """``Dl_info`` of dladdr(3)."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def malloc_file() -> str | None:
    """The file that this process's malloc lies in; None where the loader does not say."""
    process = ctypes.CDLL(None)
    found = _Symbol()
    try:
        # What malloc itself leads to may be a jump within the program that uses it.
        address = ctypes.cast(process.malloc_usable_size, ctypes.c_void_p)
        known = process.dladdr(address, ctypes.byref(found)) != 0 and found.file is not None
    except AttributeError:  # a C library without them
        return None
    return found.file.decode(errors="backslashreplace") if known else None
