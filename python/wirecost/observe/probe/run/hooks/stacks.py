# SPDX-License-Identifier: Apache-2.0
"""Stacks at which counters grow, and the stop at a limit."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-hook-stacks.so"
STACKS, STOP = "WIRECOST_PROBE_STACKS", "WIRECOST_PROBE_STOP"


class Stacks:
    name = "stacks"
    about = "where what is counted happens"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target
        if request.stacks_after_ns is None:
            return Hooked()
        try:
            path = library(LIBRARY)
        except UserError as error:
            return Hooked(notes=(f"stacks are not kept: {error}",))
        stop_at = (f"{counter} {most} {pattern}" for counter, most, pattern in request.stop_at)
        environment = {STACKS: str(request.stacks_after_ns), STOP: "\n".join(stop_at)}
        return Hooked((path,), environment=environment)


HOOK = Stacks()
