# SPDX-License-Identifier: Apache-2.0
"""rospy: the callbacks of subscriptions, timers and services, and what they publish."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import PYTHON_FOLDER, UNLESS_PROBED, Hooked, Request
from wirecost.observe.probe.run.target import Target


class Rospy:
    name = "rospy"
    about = "callbacks of rospy"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target  # a program may start a node: rosrun does
        return Hooked(
            python=(PYTHON_FOLDER / "rospy_callbacks.py",),
            environment={UNLESS_PROBED: "1"} if request.probed else {},
        )


HOOK = Rospy()
