# SPDX-License-Identifier: Apache-2.0
"""Names of others, such as files and topics, on a terminal."""

from __future__ import annotations

from wirecost.system.printable import printable


def shown(name: object) -> str:
    """Return a name on one line, with what a terminal would obey written as ``\\x1b``."""
    return printable(str(name))
