# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench tensor``."""

from __future__ import annotations

from wirecost.results.records.schemas.tensor import SCENARIO

__all__ = ["SCENARIO"]
