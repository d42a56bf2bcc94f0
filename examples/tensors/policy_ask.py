# SPDX-License-Identifier: Apache-2.0
"""A robot that asks a policy what to do, at 10 Hz; needs no PyTorch. Ends with Ctrl-C.

python policy_ask.py [TRANSPORT]
"""

import itertools
import sys
import time
from contextlib import suppress

import numpy as np

import wirecost

joints = np.zeros(7, np.float32)
with suppress(KeyboardInterrupt), wirecost.request(*sys.argv[1:], "policy", as_="numpy") as policy:
    for step in itertools.count():
        answer = policy.ask({"joints": joints, "step": step}, timeout=30)
        joints = np.clip(joints + 0.1 * answer["action"], -3, 3)
        places = " ".join(f"{joint:+.2f}" for joint in joints)
        print(f"step {answer['step']}: joints at {places}", flush=True)
        time.sleep(0.1)
