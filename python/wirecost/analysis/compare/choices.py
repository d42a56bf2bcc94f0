# SPDX-License-Identifier: Apache-2.0
"""What comparisons can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

MARGIN = 0.05
"""Share of a time: smaller changes are no difference."""
