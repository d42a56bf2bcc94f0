# SPDX-License-Identifier: Apache-2.0
"""A graph of one program, and ``wirecost cost --live ros2`` beside it, in one network.

``python cost_scenario.py PYTHON NODE SENT KILLED_S OPTIONS…``; what the graph prints goes to SENT.
It is killed and started again after so many seconds, unless they are 0.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

python, node, sent, killed_s, *options = sys.argv[1:]
with Path(sent).open("wb") as said:
    graph = subprocess.Popen([python, node], stdout=said)
    if float(killed_s):
        time.sleep(2)  # until it has published what it keeps
    command = [sys.executable, "-m", "wirecost", "cost", "--live", "ros2", "--python", python]
    look = subprocess.Popen([*command, *options])
    try:
        if float(killed_s):
            time.sleep(float(killed_s))
            graph.kill()
            graph.wait()
            graph = subprocess.Popen([python, node], stdout=said)
        sys.exit(look.wait())
    finally:
        look.kill()
        graph.kill()
        graph.wait()
