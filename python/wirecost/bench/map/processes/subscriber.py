# SPDX-License-Identifier: Apache-2.0
"""A subscribing process: ``python -m … CONTENDER ADDRESS``, driven by lines on standard input.

``receive``: waits for the next map; answers when it was readable and when each of its pages had
been read (monotonic nanoseconds). ``digest``: answers that of the map. ``release``: gives it back.
"""

from __future__ import annotations

import hashlib
import sys
import time

from wirecost.bench.map.processes.ends import Subscriber
from wirecost.bench.map.processes.shared_memory import SharedSubscriber, touch
from wirecost.bench.map.processes.tcp import TcpSubscriber

CONTENDERS: dict[str, type[TcpSubscriber | SharedSubscriber]] = {
    "copied": TcpSubscriber,
    "shared": SharedSubscriber,
}


def main() -> None:
    contender, address = sys.argv[1:]
    subscriber: Subscriber = CONTENDERS[contender](address)
    print("connected", flush=True)
    view = memoryview(b"")
    for command in sys.stdin:
        match command.strip():
            case "receive":
                view = subscriber.receive()
                readable = time.monotonic_ns()
                touch(view)
                print(readable, time.monotonic_ns(), flush=True)
            case "digest":
                print(hashlib.blake2b(view, digest_size=8).hexdigest(), flush=True)
            case "release":
                view.release()
                subscriber.release()
                print("released", flush=True)


if __name__ == "__main__":
    main()
