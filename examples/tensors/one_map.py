# SPDX-License-Identifier: Apache-2.0
"""One large map for several nodes: time until all have read it, and how often it is in memory.

python one_map.py SUBSCRIBERS TRANSPORT…
"""

import multiprocessing
import sys
import time
import zlib
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np

import wirecost

SHAPE = (10_000, 10_000)  # bytes: 100 MB
PAGE = 4096


def memory() -> int:
    """Return the bytes of memory of this process: a page that n processes map counts as 1/n."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def listen(transport: str, results: Queue, together: Barrier) -> None:
    """Receive a small message, then the map; report when it was read and the memory it took."""
    with wirecost.subscribe(transport, "map") as messages:
        before = None
        for grid in messages:
            if grid.shape == SHAPE:
                break
            if before is None:  # the connection's own memory is there
                before = memory()
                results.put(0)
        grid.reshape(-1)[::PAGE].sum()
        results.put((time.monotonic_ns(), zlib.crc32(grid)))
        together.wait()  # all hold the map
        results.put(memory() - before)
        together.wait()


def compare(transport: str, subscribers: int) -> None:
    """Send the map to so many processes at once and print what that took."""
    context = multiprocessing.get_context("spawn")
    results, together = context.Queue(), context.Barrier(subscribers + 1)
    for _ in range(subscribers):
        context.Process(target=listen, args=(transport, results, together), daemon=True).start()
    with wirecost.publish(transport, "map") as topic:
        connected = 0
        while connected < subscribers:
            topic.send(np.zeros(1))
            time.sleep(0.05)
            while not results.empty():
                connected += results.get() == 0
        before = memory()
        grid = np.random.default_rng(1).integers(0, 255, SHAPE, np.uint8)
        content = zlib.crc32(grid)
        begin = time.monotonic_ns()
        topic.send(grid)
        times, contents = zip(*(results.get() for _ in range(subscribers)), strict=True)
        assert set(contents) == {content}
        size = grid.nbytes
        del grid
        together.wait()
        taken = memory() - before + sum(results.get() for _ in range(subscribers))
        together.wait()
    elapsed_ms = (max(times) - begin) / 1e6
    print(f"{transport:12} {elapsed_ms:8.1f} ms   {taken / size:4.1f} maps in memory", flush=True)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        compare(name, int(sys.argv[1]))
