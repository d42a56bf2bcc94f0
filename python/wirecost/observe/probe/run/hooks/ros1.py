# SPDX-License-Identifier: Apache-2.0
"""roscpp: the callbacks of subscriptions, timers and services, and what they publish."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import UNLESS_PROBED, Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-hook-ros1.so"


class Ros1:
    name = "ros1"
    about = "callbacks of roscpp"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target  # a program may start a node: rosrun does
        try:
            path = library(LIBRARY)
        except UserError as error:
            return Hooked(notes=(f"callbacks of roscpp are not recorded: {error}",))
        return Hooked((path,), environment={UNLESS_PROBED: "1"} if request.probed else {})


HOOK = Ros1()
