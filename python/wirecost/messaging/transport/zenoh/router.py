# SPDX-License-Identifier: Apache-2.0
"""A router of Zenoh's at one address.

``python -m wirecost.messaging.transport.zenoh.router HOST PORT``.
"""

from __future__ import annotations

import json
import signal
import sys


def main() -> None:
    import zenoh  # noqa: PLC0415

    host, port = sys.argv[1:]
    settings = zenoh.Config()
    for name, value in {
        "mode": "router",
        "listen/endpoints": [f"tcp/{host}:{port}"],
        "scouting/multicast/enabled": False,
    }.items():
        settings.insert_json5(name, json.dumps(value))
    with zenoh.open(settings):
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main()
