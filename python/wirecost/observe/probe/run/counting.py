# SPDX-License-Identifier: Apache-2.0
"""Hooks that count for the probe, preloaded only where their counters are asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass

from wirecost.observe.probe.run.hook import Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError

COUNTERS = "WIRECOST_PROBE_COUNTERS"


def asked_counters() -> list[str]:
    """Return what the user has named; nothing where the default or none is counted."""
    names = os.environ.get(COUNTERS, "").split(",")
    return [name for name in names if name not in ("", "none")]


@dataclass(frozen=True)
class CountingHook:
    """``counters``: names of ``WIRECOST_PROBE_COUNTERS`` that ``library`` counts."""

    name: str
    about: str
    library: str
    counters: tuple[str, ...]

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target, request
        if not set(self.counters) & set(asked_counters()):
            return Hooked()
        try:
            return Hooked((library(self.library),))
        except UserError as error:
            return Hooked(notes=(f"{' and '.join(self.counters)} are not counted: {error}",))
