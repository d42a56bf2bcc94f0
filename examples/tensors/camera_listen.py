# SPDX-License-Identifier: Apache-2.0
"""Looks for what the camera sees; the images lie where they were received. Ends with Ctrl-C.

python camera_listen.py [TRANSPORT]
"""

import sys
import time
from contextlib import suppress

import wirecost

with suppress(KeyboardInterrupt), wirecost.subscribe(*sys.argv[1:], "camera") as messages:
    for message in messages:
        age = 1e3 * (time.time() - message["t"])
        seen = message["image"][..., 0].any(axis=0).nonzero()[0]
        place = f"at {seen.mean():.0f}" if seen.size else "nowhere"
        width, height = message["preview"].size
        print(f"{place}, {age:.1f} ms ago, preview {width}x{height}", flush=True)
