# SPDX-License-Identifier: Apache-2.0
"""What a program did at a stack, in the words of whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirecost.results.records.probe_stacks import SYSTEM_CALLS, Stack

INVERSION = "priority inversion"
_PRINTS = "print"
_BY_FUNCTION = (
    ("throw", r"cxa_(allocate_exception|throw|rethrow|end_catch)|Unwind_(RaiseException|Resume)"),
    ("thread start", r"pthread_create|std::thread::_M_start_thread"),
    ("library load", r"dl_?m?open(_worker)?"),
    ("lazy binding", r"dl_runtime_resolve\w*|dl_fixup"),
    (_PRINTS, r"v?[fd]?printf|f?puts|f?putc|putchar|fwrite|fflush"),
    (_PRINTS, r"std::(basic_ostream|ostream|basic_filebuf|__ostream)\b.*"),
)
"""Acts, and the functions that do each; their names are without ``_DECORATION``."""
_DECORATION = re.compile(
    r"^_*(GI_+)?(IO_)?(new_)?(?=[A-Za-z])|(_chk|_unlocked|_internal|_implementation|_2_1)?(@.*)?$"
)
"""What a C library puts around a function's name: stripped ones, and those with symbols, differ."""


def act(stack: Stack, quantity: str, functions: Iterable[str]) -> str:
    """Return what a counted event was, with the name of a system call; empty: its counter says all.

    ``functions``: names in the stack.
    """
    if stack.priorities is not None and stack.priorities.are_inverted:
        return INVERSION
    call = stack.call if quantity == SYSTEM_CALLS else None
    names = [_DECORATION.sub("", function.partition("(")[0]) for function in functions]
    for name, pattern in _BY_FUNCTION:
        # A stream of text in memory allocates as well, and prints nothing.
        if name == _PRINTS and call is None:
            continue
        if any(re.fullmatch(pattern, function) for function in names):
            return f"{name} ({call})" if call else name
    return call or ""
