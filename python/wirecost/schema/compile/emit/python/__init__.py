# SPDX-License-Identifier: Apache-2.0
"""Python: typed slots dataclasses with codecs of plain Python over precompiled structs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirecost.schema.compile.emit import Request, Texts
    from wirecost.schema.compile.schema import Schema


def emit(schema: Schema, request: Request) -> Texts:
    """Return all modules, ``<namespace>/<package>/<file>.py``, and what they share."""
    # Processes of `bench message` need names of generated code, not what generates it.
    from wirecost.schema.compile.emit.python.emitter import emit as emit_python  # noqa: PLC0415

    return emit_python(schema, request)
