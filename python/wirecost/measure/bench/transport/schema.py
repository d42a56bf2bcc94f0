# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench transport``."""

from __future__ import annotations

from wirecost.results.records.schemas.transport import SCENARIO

__all__ = ["SCENARIO"]
