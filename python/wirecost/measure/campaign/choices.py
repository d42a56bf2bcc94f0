# SPDX-License-Identifier: Apache-2.0
"""Names that campaigns' options take. Imports little: the command line lists them."""

from __future__ import annotations

IMPORTED = "imported"
"""Campaign of folders that were measured without one."""
MEMORY = 1500 << 20
"""Bytes. What needs more goes to temporary files, but for the values of exact medians."""
LEAST_MEMORY = 64 << 20
