# SPDX-License-Identifier: Apache-2.0
"""Ports of this machine."""

from __future__ import annotations

import socket


def free_port(host: str = "127.0.0.1") -> int:
    """Return a TCP port on which nobody listens now."""
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])
