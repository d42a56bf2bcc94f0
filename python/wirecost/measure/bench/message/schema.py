# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench message``."""

from __future__ import annotations

from wirecost.results.records.schemas.message import SCENARIO

__all__ = ["SCENARIO"]
