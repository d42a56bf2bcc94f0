# SPDX-License-Identifier: Apache-2.0
"""Presets of ``bench message``, one a file: which messages, which contenders, what rows are called.

Every module here has an object ``PRESET``; they are found by looking.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from wirecost.bench.engine.measurement import Progress
from wirecost.records.journal import Journal


@dataclass(frozen=True)
class Preset:
    """``scenario``: of its result folders; ``run``: measures with the preset's defaults."""

    scenario: str
    run: Callable[[Journal, Progress], None]


def find(name: str) -> Preset:
    """Return one of ``choices.PRESETS``."""
    preset: Preset = importlib.import_module(f"{__name__}.{name}").PRESET
    return preset
