# SPDX-License-Identifier: Apache-2.0
"""Errors of a received frame, and how they are reported without repeating the frame."""

from __future__ import annotations

import reprlib
from typing import Any

from wirecost.system.errors import UserError


class FrameError(UserError):
    """Received bytes are no frame of this format, or not whole."""


class _Few(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = 200

    def repr_bytes(self, value: bytes, _: int) -> str:
        return repr(value[: self.maxstring])

    def repr_int(self, value: int, _: int) -> str:
        # Python refuses to write out more digits than some thousand.
        return repr(value) if value.bit_length() < 200 else f"{value.bit_length()} bits"

    def repr_instance(self, value: Any, _: int) -> str:
        plain = value is None or isinstance(value, (bool, float, complex))
        return repr(value) if plain else f"<{type(value).__name__}>"


_FEW = _Few()


def short(value: Any) -> str:
    """Return a value that a stranger wrote, in few letters, however large it is."""
    return f"{_FEW.repr(value):.60}"


def cause(error: Exception) -> str:
    """Return an exception of another package, in few words."""
    quoted = ", ".join(map(_FEW.repr, error.args))
    return f"{type(error).__name__}({quoted:.200})"
