# SPDX-License-Identifier: Apache-2.0
"""Settings of Dask that matter here, whatever the user has of their own."""

from __future__ import annotations

import logging

SILENT = logging.CRITICAL + 1
GONE_S = 60
"""After so long without a sign of life a worker is taken to be gone."""
ATTEMPTS = 5
"""A task whose worker was killed so many times is given up: the campaign goes on without it."""


def configure(folder: str) -> None:
    """Configure Dask in this process.

    Nothing listens but what is asked for, nothing is written elsewhere than below ``folder``, and
    outcomes report a worker's end, not logs.
    """
    import dask  # noqa: PLC0415 - of an extra

    settings: dict[str, object] = {
        "temporary-directory": folder,
        "distributed.scheduler.allowed-failures": ATTEMPTS - 1,
        "distributed.scheduler.work-stealing": False,
        "distributed.scheduler.active-memory-manager.start": False,
        "distributed.scheduler.http.routes": [],
        "distributed.scheduler.preload": [],
        "distributed.scheduler.worker-ttl": f"{GONE_S}s",
        "distributed.worker.preload": [],
        "distributed.worker.http.routes": [],
        "distributed.worker.profile.enabled": False,
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
        "distributed.admin.system-monitor.gil.enabled": False,
        "distributed.comm.timeouts.connect": "20s",
        "distributed.diagnostics.nvml": False,
    }
    dask.config.set(settings)
    import distributed  # noqa: F401, PLC0415 - which gives some of its loggers levels of their own

    own = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in (*own, "tornado", "asyncio"):
        logging.getLogger(name).setLevel(SILENT)
