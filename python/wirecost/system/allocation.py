# SPDX-License-Identifier: Apache-2.0
"""The malloc that a process calls, and the variables that change it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

VARIABLES = (
    "GLIBC_TUNABLES", "LD_PRELOAD", "MALLOC_", "_RJEM_MALLOC_CONF", "MIMALLOC_", "TCMALLOC_",
    "WIRECOST_HEAP_", "WIRECOST_TLSF_",
)  # fmt: skip
"""Beginnings of the variables' names."""


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return those variables that are set."""
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
    """Return the file that contains this process's malloc; None where the loader does not say."""
    process = ctypes.CDLL(None)
    symbol = _Symbol()
    try:
        # What malloc itself leads to may be a jump within the program that uses it.
        address = ctypes.cast(process.malloc_usable_size, ctypes.c_void_p)
        resolved = process.dladdr(address, ctypes.byref(symbol)) != 0 and symbol.file is not None
    except AttributeError:  # a C library without them
        return None
    return symbol.file.decode(errors="backslashreplace") if resolved else None
