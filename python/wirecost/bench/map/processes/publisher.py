# SPDX-License-Identifier: Apache-2.0
"""The publishing process: ``python -m … CONTENDER``, driven by lines on standard input.

It prints its address first. ``accept N``: waits for subscribers. ``load SIZE SEED``: makes the map;
answers its digest. ``publish``: answers when publishing began (monotonic nanoseconds).
"""

from __future__ import annotations

import hashlib
import random
import sys
import time
from functools import partial

from wirecost.bench.map.processes.ends import Publisher
from wirecost.bench.map.processes.shared_memory import SharedPublisher
from wirecost.bench.map.processes.tcp import TcpPublisher

CONTENDERS: dict[str, type[TcpPublisher | SharedPublisher]] = {
    "copied": TcpPublisher,
    "shared": SharedPublisher,
}
BLOCK = 1 << 20


def fill(seed: int, view: memoryview) -> None:
    """Random bytes, block by block: no second copy of the map in this process."""
    source = random.Random(seed)
    for start in range(0, len(view), BLOCK):
        count = min(BLOCK, len(view) - start)
        view[start : start + count] = source.randbytes(count)


def main() -> None:
    publisher: Publisher = CONTENDERS[sys.argv[1]]()
    print(publisher.address, flush=True)
    for line in sys.stdin:
        match line.split():
            case ["accept", count]:
                publisher.accept(int(count))
                print("accepted", flush=True)
            case ["load", size, seed]:
                view = publisher.load(int(size), partial(fill, int(seed)))
                print(hashlib.blake2b(view, digest_size=8).hexdigest(), flush=True)
            case ["publish"]:
                begin = time.monotonic_ns()
                publisher.publish()
                print(begin, flush=True)


if __name__ == "__main__":
    main()
