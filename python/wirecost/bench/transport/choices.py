# SPDX-License-Identifier: Apache-2.0
"""What ``bench transport`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

NATIVE_ONLY = ("cyclone", "tcp")
"""Libraries that only a native client has."""
PATTERNS = {"pubsub": ("publisher", "subscriber"), "reqrep": ("requester", "replier")}
"""The roles that send and receive."""
PYTHON, NATIVE = "python", "native"
KINDS = (PYTHON, NATIVE)
PROCESSES = 3
