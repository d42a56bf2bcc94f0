# SPDX-License-Identifier: Apache-2.0
"""A vehicle's telemetry as pandas tables of 50 rows at 10 Hz, until Ctrl-C.

python telemetry_publish.py [TRANSPORT]
"""

import itertools
import sys
import time
from contextlib import suppress

import numpy as np
import pandas as pd

import wirecost

with suppress(KeyboardInterrupt), wirecost.publish(*sys.argv[1:], "telemetry") as telemetry:
    for number in itertools.count():
        time.sleep(0.1)
        seconds = number / 10 + np.arange(50) / 500
        table = pd.DataFrame({"speed": 10 + np.sin(seconds), "gear": np.full(50, 3)})
        table.index = pd.to_timedelta(seconds, unit="s")
        telemetry.send(table)
