# SPDX-License-Identifier: Apache-2.0
"""Pieces of Markdown."""

from __future__ import annotations

import re


def heading(level: int, text: str) -> str:
    return f"{'#' * level} {text}"


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def pipes_in_code(text: str) -> str:
    """Python-Markdown takes no backslash before a pipe within code, where GitHub needs one."""
    return re.sub(r"`[^`\n]+`", lambda code: code[0].replace("\\|", "|"), text)
