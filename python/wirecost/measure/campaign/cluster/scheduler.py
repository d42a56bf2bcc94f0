# SPDX-License-Identifier: Apache-2.0
"""Dask's scheduler alone, without its pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from wirecost.measure.campaign.cluster.keys import distributed, security
from wirecost.measure.campaign.cluster.settings import configure
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

LOOK_S = 0.2


def serve(
    address: str, keys: str | None, say: Callable[[str], None], ended: threading.Event
) -> None:
    """Serve at that address until ``ended``. Raises UserError where it cannot listen there.

    ``say`` gets the address with its port.
    """
    with scratch.run(), scratch.folder("scheduler") as folder:
        package = distributed()
        configure(str(folder))
        asyncio.run(_serve(package.Scheduler, address, keys, say, ended))


async def _serve(
    made: type, address: str, keys: str | None, say: Callable[[str], None], ended: threading.Event
) -> None:
    protocol, _, rest = address.partition("://")
    host, _, port = rest.rpartition(":")
    try:
        scheduler = await made(
            protocol=f"{protocol}://", host=host.strip("[]"), port=int(port),
            security=security(keys), dashboard=False,
        )  # fmt: skip
    except Exception as error:  # of Dask, which wraps what is wrong
        cause = error.__cause__ or error
        raise UserError(f"{address}: cannot listen there ({shown(cause)})") from error
    say(str(scheduler.address))
    while not ended.is_set():
        await asyncio.sleep(LOOK_S)
    await scheduler.close()
