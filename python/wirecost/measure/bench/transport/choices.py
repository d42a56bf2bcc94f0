# SPDX-License-Identifier: Apache-2.0
"""Values of ``bench transport``'s options. Imports little: the command line lists it."""

from __future__ import annotations

NATIVE_ONLY = ("cyclone", "tcp")
"""Libraries that only a native client has."""
NATIVE_PROGRAMS = {
    "zeromq": "zeromq", "zeromq-tcp": "zeromq", "nats": "nats", "mqtt": "mqtt", "grpc": "grpc",
    "ros1": "ros1", "dds": "fastdds", "cyclone": "cyclone", "tcp": "tcp",
}  # fmt: skip
"""Transports that have a client in C or C++, and which program it is."""
PATTERNS = {"pubsub": ("publisher", "subscriber"), "reqrep": ("requester", "replier")}
"""The roles that send and receive."""
PYTHON, NATIVE = "python", "native"
KINDS = (PYTHON, NATIVE)
PROCESSES = 3
