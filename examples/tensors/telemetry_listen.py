# SPDX-License-Identifier: Apache-2.0
"""Keeps the last second of telemetry and prints what happened in it. Ends with Ctrl-C.

python telemetry_listen.py [TRANSPORT]
"""

import sys
from collections import deque
from contextlib import suppress

import pandas as pd

import wirecost

last: deque[pd.DataFrame] = deque(maxlen=10)
with (
    suppress(KeyboardInterrupt),
    # Tables that are kept are copied: the middleware lends few messages at once.
    wirecost.subscribe(*sys.argv[1:], "telemetry", copy=True) as tables,
):
    for table in tables:
        last.append(table)
        second = pd.concat(last)
        speed = second["speed"]
        print(f"{len(second)} rows, {speed.min():.2f} to {speed.max():.2f} m/s", flush=True)
