# SPDX-License-Identifier: Apache-2.0
"""On which wire a contender sends."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row


def wire_of(meta: dict[str, Any], row: Row) -> str:
    """Empty where the run does not say."""
    return wire_named(meta, row.lang, row.name)


def wire_named(meta: dict[str, Any], lang: str, name: str) -> str:
    """The same by language and name."""
    return str(meta["contenders"].get(f"{lang} {name}", {}).get("wire", ""))
