# SPDX-License-Identifier: Apache-2.0
"""Threads by their names, each recorded from one wait to the next."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import Hooked, Request, library
from wirecost.observe.probe.run.target import Target

LIBRARY = "libwirecost-hook-threads.so"
PATTERNS = "WIRECOST_THREADS"


class Threads:
    name = "threads"
    about = "threads that a budget names"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target
        if not request.threads:
            return Hooked()
        return Hooked((library(LIBRARY),), environment={PATTERNS: "\n".join(request.threads)})


HOOK = Threads()
