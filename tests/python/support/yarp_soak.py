# SPDX-License-Identifier: Apache-2.0
"""Ten thousand messages through YARP between two processes; prints what came, and what listened.

A program, for networks of its own: ``yarp_soak.py COUNT LARGE_EVERY [HOST]``; the last is the name
server's address.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from support.transport_peer import PATIENCE, Bytes, Peer
from wirecost.messaging.transport import find, open_transport
from wirecost.messaging.transport.shared.server_process import LOOPBACK

LARGE = 8_000_000
SMALL = 1, 1000, 65_536


def listening() -> list[str]:
    """Addresses at which sockets of this network can be reached."""
    sockets = subprocess.run(["ss", "-Hltun"], capture_output=True, text=True, check=True).stdout
    return sorted({re.sub(r":\d+$", "", line.split()[4]) for line in sockets.splitlines()})


def main(count: int, large_every: int, host: str = LOOPBACK) -> None:
    frames = {size: Bytes(os.urandom(size)) for size in (*SMALL, LARGE)}
    sizes = [LARGE if k % large_every == 0 else SMALL[k % len(SMALL)] for k in range(count)]
    with find("yarp").server_at(host) as address:
        peer = Peer("yarp", address)
        peer.call("subscriber", topic="soak")
        with open_transport("yarp", address) as here, here.publisher("soak") as publisher:
            assert publisher.wait_for_subscriber(PATIENCE)
            peer.begin("drain", topic="soak", silence=2)
            for size in sizes:
                publisher.send(frames[size])
            open_at = listening()
            numbers = peer.answer()
        lost = peer.call("count", topic="soak")["lost"]
        assert peer.end() == 0
    in_order = numbers == list(range(count))
    print(json.dumps({"in_order": in_order, "lost": lost, "listening": open_at}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
