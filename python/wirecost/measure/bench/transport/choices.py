# SPDX-License-Identifier: Apache-2.0
"""Values of ``bench transport``'s options. Imports little: the command line lists it."""

from __future__ import annotations

FLOORS = ("floor-spin", "floor-futex", "floor-pipe", "floor-unix")
"""Ways from process to process without a middleware, measured to compare with; on one machine and
for one subscriber. Their native client takes part whatever the kind of the others."""
NATIVE_ONLY = ("cyclone", "tcp", *FLOORS)
"""Libraries that only a native client has."""
NATIVE_PROGRAMS = {
    "zeromq": "zeromq", "zeromq-tcp": "zeromq", "nats": "nats", "mqtt": "mqtt", "grpc": "grpc",
    "ros1": "ros1", "dds": "fastdds", "cyclone": "cyclone", "tcp": "tcp",
    "iceoryx2": "iceoryx2", "zenoh": "zenoh", "zenoh-shm": "zenoh",
    **dict.fromkeys(FLOORS, "floors"),
}  # fmt: skip
"""Transports that have a client in C or C++, and which program it is."""
RUST_PROGRAMS = ("iceoryx2", "zenoh")
"""Programs whose library is in Rust, which no Debian package brings."""
LEAST_RUST = "1.89"
PATTERNS = {"pubsub": ("publisher", "subscriber"), "reqrep": ("requester", "replier")}
"""The roles that send and receive."""
LEAST_BYTES, MOST_BYTES = 24, 1 << 30
"""Sizes of messages: the least has room for number, times and digest."""
PYTHON, NATIVE = "python", "native"
KINDS = (PYTHON, NATIVE)
PROCESSES = 3
