# SPDX-License-Identifier: Apache-2.0
"""Stacks at which counters grow, and the stop at a limit."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-hook-stacks.so"
STACKS, LIMITS, STOP = (f"WIRECOST_PROBE_{name}" for name in ("STACKS", "LIMITS", "STOP"))


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
        limits = (f"{counter} {most} {pattern}" for counter, most, pattern in request.limits)
        environment = {
            STACKS: str(request.stacks_after_ns),
            LIMITS: "\n".join(limits),
            STOP: "1" if request.stop else "",
        }
        return Hooked((path,), environment=environment)


HOOK = Stacks()
