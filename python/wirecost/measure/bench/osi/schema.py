# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench osi``."""

from __future__ import annotations

from wirecost.results.records.schemas.osi import SCENARIO

__all__ = ["SCENARIO"]
