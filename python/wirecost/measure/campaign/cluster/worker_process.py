# SPDX-License-Identifier: Apache-2.0
"""One of Dask's workers, until its scheduler is gone.

``python -m wirecost.measure.campaign.cluster.worker_process`` reads JSON from standard input:
``scheduler``, ``machine`` and ``keys``. The programs that it starts get the environment that it was
given: nothing of Dask's is in it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from wirecost.measure.campaign.cluster.addresses import host_of
from wirecost.measure.campaign.cluster.keys import distributed, security
from wirecost.measure.campaign.cluster.settings import configure
from wirecost.system import scratch

STARTED, UNREACHABLE = "started", 3
"""Its output once it has work to take, and its exit status without a scheduler."""
PATIENCE_S = 30
MEASURE, MACHINE = "measure", "machine-"
"""Its resources: one task at a time, and its machine."""


def main() -> int:
    settings = json.load(sys.stdin)
    with scratch.run(), scratch.folder("worker") as folder:
        configure(str(folder))
        try:
            asyncio.run(_serve(settings["scheduler"], settings["machine"], settings["keys"]))
        except OSError:
            return UNREACHABLE
    return 0


async def _serve(scheduler: str, machine: str, keys: str | None) -> None:
    """Raise OSError where there is no scheduler."""
    package = distributed()
    worker: Any = package.Worker(
        scheduler,
        nthreads=1,
        resources={MEASURE: 1, MACHINE + machine: 1},
        security=security(keys),
        host=_own_address(host_of(scheduler)),
        memory_limit=0,
        death_timeout=PATIENCE_S,
        dashboard=False,
    )
    try:
        await worker
    except Exception as error:  # of Dask, which wraps what is wrong
        raise OSError(str(error)) from error
    print(STARTED, flush=True)
    await worker.finished()


def _own_address(scheduler: str) -> str:
    """Return the address by which the scheduler reaches this host."""
    from distributed.utils import get_ip, get_ipv6  # noqa: PLC0415

    return str(get_ipv6(scheduler) if ":" in scheduler else get_ip(scheduler))


if __name__ == "__main__":
    sys.exit(main())
