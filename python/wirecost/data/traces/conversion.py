# SPDX-License-Identifier: Apache-2.0
"""Rows to columns and back, frame by frame (docs/formats/columns.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol

from wirecost.schema.columns.converter import Converter
from wirecost.system.errors import UserError


class Conversion(Protocol):
    """A message to the same message in the other form."""

    def __call__(self, message: memoryview) -> memoryview | bytes:
        """Convert a message; the result holds until the next call.

        Raises ValueError on bytes that are no such message.
        """
        ...


@dataclass(frozen=True)
class Wanted:
    """Conversion that ``trace convert`` was asked for."""

    columns: tuple[str, ...] = ()
    """Lists that become columns, by path; ``all``."""
    rows: bool = False
    """All columns become rows."""
    reduce: tuple[str, ...] = ()
    """``FIELD=HOW``"""
    also_rows: bool = False
    """Columns beside the rows instead of in their place."""

    def check(self) -> None:
        """Raise UserError on what contradicts itself."""
        if self.columns and self.rows:
            raise UserError("--columns and --rows: choose one")
        for option, value in (("--reduce", self.reduce), ("--also-rows", self.also_rows)):
            if value and not self.columns:
                raise UserError(f"{option}: needs --columns")


def conversion(type_name: str, wanted: Wanted, before: int = 0) -> Conversion | None:
    """Return what is done to each frame of that type; None where nothing is. Raises UserError.

    ``before``: bytes that the trace file puts in front of each message.
    """
    wanted.check()
    if not wanted.columns and not wanted.rows:
        return None
    converter = _converter(type_name, wanted)
    if wanted.rows:
        return converter.to_rows
    return partial(converter.to_columns, keep_rows=wanted.also_rows, before=before)


@lru_cache(maxsize=16)
def _converter(type_name: str, wanted: Wanted) -> Converter:
    """Plan once for all traces of a type: planning takes as long as converting a short trace.

    A process converts one trace at a time.
    """
    full_name = f"osi3.{type_name}"
    if wanted.rows:
        return Converter.to_rows_of(full_name)
    return Converter.to_columns_of(full_name, wanted.columns, wanted.reduce)
