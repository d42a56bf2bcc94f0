# SPDX-License-Identifier: Apache-2.0
"""Defaults of comparisons. Imports little: the command line lists them."""

from __future__ import annotations

MARGIN = 0.05
"""Share of a time: smaller changes are no difference."""
