# SPDX-License-Identifier: Apache-2.0
"""Former names of an answer and of its first screen, for commands that are being replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirecost.results.report.shared import screen
from wirecost.results.report.shared.answer import Answer as FirstAnswer
from wirecost.system.terminal import Console

__all__ = ["FirstAnswer", "print_answer"]


def print_answer(
    console: Console, first: FirstAnswer, more: str, doubts: Sequence[tuple[str, str]] = ()
) -> None:
    """Print the first screen."""
    screen.print_answer(console, replace(first, more=more, doubts=doubts))
