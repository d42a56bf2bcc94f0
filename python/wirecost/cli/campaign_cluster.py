# SPDX-License-Identifier: Apache-2.0
"""Keys of a campaign's cluster, and when its commands end."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

from wirecost.cli.options import option
from wirecost.measure.campaign.cluster.keys import read_keys, security
from wirecost.system.errors import UserError

FROM_STDIN = "-"

Keys = Annotated[
    str | None,
    option(
        "The cluster's TLS key and certificate, made by `wirecost campaign keys`; - reads "
        "standard input, and this command ends when it is closed.",
        metavar="FILE",
    ),
]
Plain = Annotated[
    bool,
    option(
        "Allow tcp:// addresses. Anybody who reaches such an address can run programs as you.",
        "--trust-plain-tcp",
    ),
]


def keys_and_end(named: str | None) -> tuple[str | None, threading.Event]:
    """Return the keys, and an event that is set when this process shall end.

    It ends by a signal, or with its standard input where the keys came from there. Raises
    UserError.
    """
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    if named is None:
        return None, ended
    if named != FROM_STDIN:
        return read_keys(Path(named)), ended
    try:
        keys = json.loads(sys.stdin.readline())
        security(keys if isinstance(keys, str) else "")
    except (ValueError, UserError) as error:
        raise UserError("--keys -: standard input has no keys; name a FILE") from error
    threading.Thread(target=_wait_for_end, args=(ended,), daemon=True).start()
    return keys, ended


def _wait_for_end(ended: threading.Event) -> None:
    while sys.stdin.read(1):
        pass
    ended.set()
