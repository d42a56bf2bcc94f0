# SPDX-License-Identifier: Apache-2.0
"""What ``bench message`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

LANGUAGES = ("cpp", "python", "java")
USUAL = ("cpp", "python")
"""Without being asked for."""
SINGLE, DELIMITED = "single", "delimited"
FRAMINGS = (SINGLE, DELIMITED)
"""What a binary file can hold: one message, or several, each behind its length."""
SAMPLED = 50
"""Messages that are measured of a longer recording, unless another number is asked for."""
PROCESSES = 5
