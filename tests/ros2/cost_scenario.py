# SPDX-License-Identifier: Apache-2.0
"""A graph of ``talkers.py``, and ``wirecost cost --live ros2`` beside it, in one network.

``python cost_scenario.py PYTHON NODE SENT OPTIONS…``; what the graph prints goes to SENT.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

python, node, sent, *options = sys.argv[1:]
with Path(sent).open("wb") as said:
    graph = subprocess.Popen([python, node], stdout=said)
try:
    command = [sys.executable, "-m", "wirecost", "cost", "--live", "ros2", "--python", python]
    sys.exit(subprocess.run([*command, *options], check=False).returncode)
finally:
    graph.kill()
    graph.wait()
