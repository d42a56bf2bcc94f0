# SPDX-License-Identifier: Apache-2.0
"""What ``bench heap`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

STUDIES = ("callback", "throughput")
THREADS = (1, 2, 4, 8)
PAIRS = 1_000_000
"""Of malloc and free in a process that measures throughput."""
