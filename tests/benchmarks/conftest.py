# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the studies' tests: the command line as a user drives it."""

from __future__ import annotations

from e2e.conftest import bench, measure, wirecost

__all__ = ["bench", "measure", "wirecost"]
