# SPDX-License-Identifier: Apache-2.0
"""Choices of ``bench message``; a light module, as the command line lists them."""

from __future__ import annotations

USUAL = ("cpp", "python")
"""Languages that are measured by default."""
SINGLE, DELIMITED = "single", "delimited"
FRAMINGS = (SINGLE, DELIMITED)
"""Contents of a binary file: one message, or several, each behind its length."""
SAMPLED = 50
"""Messages that are measured of a longer recording, unless another number is asked for."""
PROCESSES, REPETITIONS = 5, 30
"""Fresh processes, and samples in all of them, unless other numbers are asked for."""
BINARY = (".binpb", ".bin", ".pb", ".delimited")
"""Endings of files with messages in Protobuf's wire format."""
