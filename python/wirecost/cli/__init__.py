# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command, imported when it is called."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Return the application, which a list of commands does without."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wirecost.cli.root import app

    return app
