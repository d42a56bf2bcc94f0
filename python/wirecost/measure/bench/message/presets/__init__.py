# SPDX-License-Identifier: Apache-2.0
"""Presets of ``bench message``, one a file: which messages, which contenders, what rows are called.

Every module here has ``SETTINGS``, a class whose fields have defaults, and ``run``; they are found
by looking.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wirecost.measure.bench.engine.measurement import Progress
from wirecost.results.records.journal import Journal
from wirecost.system.plugins import load_plugin


def find(name: str) -> Callable[[Journal, Progress], None]:
    """Return what measures one of ``choices.PRESETS`` with its default settings."""
    module = load_plugin(__name__, name)
    return partial(module.run, module.SETTINGS())
