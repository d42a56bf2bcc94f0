# SPDX-License-Identifier: Apache-2.0
"""Names that campaigns' options take. Imports little: the command line lists them."""

from __future__ import annotations

IMPORTED = "imported"
"""Campaign of folders that were measured without one."""
