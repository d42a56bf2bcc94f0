# SPDX-License-Identifier: Apache-2.0
"""Pieces of Markdown."""

from __future__ import annotations


def heading(level: int, text: str) -> str:
    return f"{'#' * level} {text}"


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
