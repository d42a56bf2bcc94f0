# SPDX-License-Identifier: Apache-2.0
"""Where the messages are that an ``Any`` can hold; generated code has a file of its own here."""

from __future__ import annotations

MESSAGES: dict[str, tuple[str, str]] = {}
"""By full name: the module below the namespace, and the class."""
